from __future__ import annotations

import json

import pytest
from tiny import PAIRS

from redraft.lab.bench import paper, published
from redraft.lab.bench.paper import Plan, run


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    path = tmp_path_factory.mktemp("gold") / "gold.m2"
    path.write_text("".join(f"S {source}\nA 0 0|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n" for source, _ in PAIRS))
    return path


@pytest.fixture(scope="module")
def measured(tiny_model, gold, tmp_path_factory):
    """The report, and the number of progress steps."""
    chinese = tmp_path_factory.mktemp("chinese") / "pairs.tsv"
    chinese.write_text("他去了学校学校。\t他去了学校。\n今天天汽很好。\t今天天气很好。\n")
    plan = Plan(str(tiny_model.path), gold, chinese, 5, 2, (1,), "fp32", 64)
    steps: list[None] = []
    return run(plan, lambda: steps.append(None)), len(steps), plan


def test_every_table_is_there_and_fits_into_json(measured):
    report, steps, plan = measured
    assert steps == plan.steps
    assert set(report) >= {"decoding", "longest_drafts", "examples", "depths", "processors", "chinese", "published"}
    json.dumps(report)


def test_aggressive_decoding_writes_what_greedy_writes(measured):
    decoding = measured[0]["decoding"]
    assert decoding["unlike_greedy"] == dict.fromkeys(paper.DRAFTS, 0)
    assert decoding["scores"]["greedy"] == decoding["scores"]["refine"]
    assert decoding["methods"]["refine"]["calls"] < decoding["methods"]["greedy"]["calls"]
    assert len(decoding["points"]) == measured[0]["sentences"] == 5


def test_a_longest_draft_of_one_is_greedy_and_none_is_unlimited(measured):
    report = measured[0]
    rows, greedy = report["longest_drafts"], report["decoding"]["methods"]["greedy"]["calls"]
    assert len(rows) == 2 * len(published.LONGEST_DRAFTS)
    assert rows["suffix 1"]["calls"] == rows["refine 1"]["calls"] == greedy
    assert rows["suffix unlimited"]["calls"] == report["decoding"]["methods"]["suffix"]["calls"]


def test_every_depth_makes_the_same_calls(measured):
    depths = measured[0]["depths"]
    assert len(depths) == 3 * len(published.DEPTHS)
    assert len({figures["calls"] for name, figures in depths.items() if name.endswith("suffix")}) == 1
    assert depths["6+6 greedy"]["speedup"] == 1


def test_an_example_without_edits_is_one_block(measured):
    assert measured[0]["examples"]  # but for those that are too long for the tiny model
    for found in measured[0]["examples"]:
        example = published.EXAMPLES[found["number"] - 1]
        if example.source == example.output:
            assert found["calls_for_paper_output"]["suffix"] == found["published"]["blocks"] == 1
        assert (
            max(found["calls_for_paper_output"]["refine"], found["calls_for_paper_output"]["suffix"])
            <= found["calls_for_paper_output"]["greedy"]
        )
        assert "".join(block["text"] for block in found["blocks"]["suffix"]) == "".join(
            block["text"] for block in found["blocks"]["refine"]
        )


@pytest.mark.parametrize(
    ("source", "target", "distance"), [([1, 2, 3], [1, 2, 3], 0), ([1, 2, 3, 4], [1, 3, 4, 5], 0.5), ([1], [2, 3], 2)]
)
def test_edit_ratios_are_distances_over_lengths(source, target, distance):
    assert paper._edit_ratio(source, target) == distance
