"""On a real Ray, with workers that are really killed. The model's choices alone are made up."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import marking
import pytest
from marking import BROKEN, DEADLY, GroupCounter, die, doubling

from redraft.check.loading import load
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession, Text
from redraft.errors import ConfigError
from redraft.files.cluster import Task, gpu_share, open_cluster
from redraft.model.folder import ModelFolder
from redraft.settings.options import ModelOptions
from redraft.settings.project import SessionSetup

WRONG = ["She go to school every days.", "He have two cat.", "I am agree with you."]
FOUR = 4 * 512
"""Characters of a group of four short texts."""

pytestmark = pytest.mark.usefixtures("ray_cluster")


def tasks(*texts: str) -> list[Task[int]]:
    return [Task(number, Text(text)) for number, text in enumerate(texts)]


@pytest.mark.parametrize("characters", [0, FOUR])
def test_workers_find_what_would_be_found_here(tiny_model: ModelFolder, characters: int) -> None:
    model = ModelOptions(model=str(tiny_model.path), threads=1)
    setup = SessionSetup(model, CheckOptions(dictionary=frozenset({"go"})))
    texts = WRONG * 6
    with open_cluster(setup, group_characters=characters) as cluster:
        found = {answer.key: answer.edits for answer in cluster.review(tasks(*texts))}
    here = CheckSession(load(tiny_model.path, threads=1), CheckOptions(dictionary=frozenset({"go"})))
    assert found == {number: result.edits for number, result in enumerate(here.check_many(map(Text, texts)))}
    assert all(found.values())


@pytest.mark.parametrize("characters", [0, FOUR])
def test_a_worker_that_is_killed_costs_nothing(characters: int) -> None:
    """There is work until both deaths were noticed and both workers have others in their place."""
    answered: Counter[int] = Counter()
    given = 0

    def enough() -> Iterator[Task[int]]:
        nonlocal given
        while given < 40 or ((cluster.deaths < 2 or len(cluster.pids) < 2) and given < 20_000):
            yield Task(given, Text(str(given)))
            given += 1

    with open_cluster(doubling(), 2, characters) as cluster:
        kills = 0
        for answer in cluster.review(enough()):
            answered[answer.key] += 1
            assert answer.edits[0].replacement == str(answer.key)
            if kills < 2 and kills == cluster.deaths and answered.total() >= 5 + 10 * kills:
                os.kill(cluster.pids[0], signal.SIGKILL)
                kills += 1
        assert cluster.deaths == 2
        assert len(cluster.pids) == 2
    assert answered == Counter(range(given))


def test_a_text_no_worker_survives_is_given_up_and_the_others_are_done() -> None:
    """The answer to the text before it may be lost with the first worker. From then on each is checked alone."""
    with open_cluster(doubling(), workers=2) as cluster:
        answers = {answer.key: answer for answer in cluster.review(tasks("a", DEADLY, "b", BROKEN, "c"))}
        assert cluster.deaths in (3, 4)
    assert {key for key, answer in answers.items() if answer.edits} == {0, 2, 4}
    assert answers[1].failure == "3 workers crashed while checking it, most likely for lack of memory"
    assert answers[3].failure == "a worker failed (ValueError)"


def test_groups_are_full_while_there_is_enough_and_the_last_texts_are_shared() -> None:
    texts = ["text"] * 40
    with open_cluster(doubling(GroupCounter), 2, FOUR) as cluster:
        sizes = {answer.key: int(answer.edits[0].replacement) for answer in cluster.review(tasks(*texts))}
    # Two workers have two calls each: a group is a quarter of the texts that wait, and four at most.
    assert [sizes[number] for number in range(40)] == [4] * 28 + [3] * 3 + [2] * 2 + [1] * 7


def test_long_texts_are_not_put_together() -> None:
    texts = ["a" * 1000] * 30 + ["a" * 3000] * 2 + ["a" * 1000] * 30
    with open_cluster(doubling(GroupCounter), 2, FOUR) as cluster:
        sizes = {answer.key: int(answer.edits[0].replacement) for answer in cluster.review(tasks(*texts))}
    assert [sizes[number] for number in range(34)] == [2] * 30 + [1] * 2 + [2] * 2


def test_of_a_group_that_no_worker_survives_each_text_is_tried_alone() -> None:
    texts = ["text", DEADLY, *["text"] * 22]
    with open_cluster(doubling(GroupCounter), 2, FOUR) as cluster:
        answers = list(cluster.review(tasks(*texts)))
        assert cluster.deaths == 3
    assert Counter(answer.key for answer in answers) == Counter(range(24))
    failures = {answer.key: answer.failure for answer in answers if answer.failure}
    assert failures == {1: "3 workers crashed while checking it, most likely for lack of memory"}
    sizes = {answer.key: answer.edits[0].replacement for answer in answers if answer.edits}
    assert [sizes[key] for key in (0, 2, 3)] == ["1", "1", "1"]


def test_of_a_group_that_fails_each_text_is_tried_alone() -> None:
    texts = [*["text"] * 5, BROKEN, *["text"] * 18]
    with open_cluster(doubling(GroupCounter), 2, FOUR) as cluster:
        answers = list(cluster.review(tasks(*texts)))
        assert cluster.deaths == 0
    assert Counter(answer.key for answer in answers) == Counter(range(24))
    assert {answer.key: answer.failure for answer in answers if answer.failure} == {5: "a worker failed (ValueError)"}
    sizes = {answer.key: answer.edits[0].replacement for answer in answers if answer.edits}
    assert [sizes[key] for key in range(8) if key != 5] == ["4"] * 4 + ["1"] * 3


def test_tasks_are_taken_as_there_is_room_for_them() -> None:
    taken = answered = 0

    def endless() -> Iterator[Task[int]]:
        nonlocal taken
        while True:
            taken += 1
            yield Task(taken, Text("text"))

    with open_cluster(doubling(), workers=2) as cluster:
        for _ in cluster.review(endless()):
            answered += 1
            assert taken - answered <= 4
            if answered == 20:
                break


def test_workers_the_cluster_has_no_room_for_hold_nothing_up() -> None:
    with open_cluster(doubling(), workers=6) as cluster:
        assert {answer.key for answer in cluster.review(tasks(*"abcdefghijkl"))} == set(range(12))
        assert len(cluster.pids) <= 2


def test_nothing_to_do_is_done_at_once() -> None:
    with open_cluster(doubling()) as cluster:
        assert list(cluster.review([])) == []
        assert cluster.pids == []


def test_what_keeps_a_worker_from_starting_is_told(tiny_model: ModelFolder) -> None:
    model = ModelOptions(model=str(tiny_model.path), engine="abacus", threads=1)
    setup = SessionSetup(model, CheckOptions())
    with (
        open_cluster(setup, workers=1) as cluster,
        pytest.raises(ConfigError, match="engine 'abacus' is not known"),
    ):
        list(cluster.review(tasks("a")))


def test_workers_that_all_die_are_no_reason_to_go_on_for_ever() -> None:
    with (
        open_cluster(doubling(die), workers=1) as cluster,
        pytest.raises(ConfigError, match="workers keep crashing"),
    ):
        list(cluster.review(tasks("a")))


def test_gpus_are_asked_for_where_gpus_compute() -> None:
    setup = SessionSetup(ModelOptions(engine="cuda"), CheckOptions())
    with pytest.raises(ConfigError, match="the cluster has no free GPU"), open_cluster(setup):
        pass


@pytest.mark.parametrize(
    ("workers", "gpus", "share"),
    [(1, 1, 1), (3, 4, 1), (4, 4, 1), (5, 4, 0.5), (8, 4, 0.5), (9, 4, 0.3333), (6, 1, 0.1666), (2, 0, 1)],
)
def test_workers_share_gpus_where_there_are_more_of_them(workers: int, gpus: int, share: float) -> None:
    assert gpu_share(workers, gpus) == share


def test_all_workers_fit_on_the_gpus_whether_ray_rounds_up_or_down() -> None:
    for gpus in range(1, 9):
        for workers in range(1, 100):
            on_each = 10_000 // round(gpu_share(workers, gpus) * 10_000)
            assert gpus * on_each >= workers


SHARED_GPU = """
import logging, ray, marking
from redraft.check.options import CheckOptions
from redraft.check.session import Text
from redraft.files.cluster import Task, open_cluster
from redraft.settings.options import ModelOptions

ray.init("local", num_cpus=3, num_gpus=1, include_dashboard=False, log_to_driver=False,
         logging_level=logging.ERROR, object_store_memory=1 << 27)
ray.cloudpickle.register_pickle_by_value(marking)

def enough():
    for number in range(20_000):
        if len(cluster.pids) == 3:
            return
        yield Task(number, Text("a" * 8000))

setup = marking.DoublingSetup(ModelOptions(engine="cuda", threads=1), CheckOptions(), marking.GroupCounter)
with open_cluster(setup, 3) as cluster:
    sizes = [int(answer.edits[0].replacement) for answer in cluster.review(enough())]
    workers = len(cluster.pids)
with open_cluster(setup) as cluster:
    list(cluster.review([Task(0, Text("a"))] * 20))
    by_default = len(cluster.pids)
print(workers, max(sizes), by_default)
"""


def test_three_workers_share_a_gpu_and_get_texts_in_groups() -> None:
    """With a GPU that Ray only counts."""
    path = os.pathsep.join([str(Path(marking.__file__).parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", SHARED_GPU]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["3", "32", "1"], done.stderr


def test_without_ray_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match="install the extra 'ray'"), open_cluster(doubling()):
        pass


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://localhost:1", "[::1]:1"])
def test_a_cluster_that_does_not_answer_is_told_at_once(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", address)
    with (
        pytest.raises(ConfigError, match=f"no Ray cluster at RAY_ADDRESS={re.escape(address)}"),
        open_cluster(doubling()),
    ):
        pass
