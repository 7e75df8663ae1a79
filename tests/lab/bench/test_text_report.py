from __future__ import annotations

from redraft.lab.bench.text_report import render


def test_figures_with_the_same_names_are_a_table():
    text = render(
        {
            "sentences": 3,
            "methods": {"greedy": {"mean_ms": 2.5, "calls": 9, "differences": []}, "refine": {"mean_ms": 1.25}},
        }
    )
    assert text == "- sentences: 3\n\n## methods\n\n|  | mean ms | calls |\n| --- | --- | --- |\n" + (
        "| greedy | 2.5 | 9 |\n| refine | 1.25 |  |\n"
    )


def test_nested_figures_have_the_names_above_them():
    text = render({"latency": {"setups": {"native/int8": {"all": {"p50": 7.1}}}}})
    assert text == "## latency, setups, native/int8, all\n\n- p50: 7.1\n"


def test_changes_are_listed_and_points_left_out():
    text = render(
        {"same": True, "changes": [{"source": "A b.", "words": ("a → b",)}], "lost": ["x: y"], "points": [[1]]}
    )
    assert text == "- same: yes\n\n## changes\n\n- source: A b.\n- words: a → b\n\n## lost\n\n- x: y\n"
