import json

import pytest

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.search.option import options, parse


@pytest.fixture(scope="module")
def three() -> gpubfs.Comparison:
    return gpubfs.compare(["status-array", "scan-free", "block-prefix-sum:block=64"], "karate")


def test_columns_are_the_runs_in_order(three) -> None:
    assert three.labels == ("status-array", "scan-free", "block-prefix-sum:block=64")
    assert [run.technique for run in three.runs] == [
        "status-array",
        "scan-free",
        "block-prefix-sum",
    ]
    assert three.runs[2].options["block"] == 64
    assert len({run.source for run in three.runs}) == 1


def test_ratios_are_to_the_first_run(three) -> None:
    first, second, _ = (run.counters["load_requests"] for run in three.runs)
    assert three.ratios("load_requests")[:2] == [1.0, second / first]
    assert three.ratios("atomic_requests") == [None, None, None]
    assert three.ratios("hottest_address") == [None, None, None]
    assert three.ratios("work.maximum")[0] == 1.0


def test_rows_have_values_and_ratios(three) -> None:
    rows = {row[0]: row for row in three.sheet().rows}
    assert rows["verified"][2:] == ("yes", "yes", "yes")
    value = three.runs[1].counters["load_requests"]
    assert rows["load_requests"][3] == f"{value:,}   ×{three.ratios('load_requests')[1]:.2f}"
    assert rows["hottest_address"][2] == "none"
    assert rows["global memory"] == ("global memory",)


def test_json(three) -> None:
    data = json.loads(json.dumps(three.as_dict(), allow_nan=False))
    assert len(data["runs"]) == 3
    assert data["ratios"]["launches"] == [1.0, 1.0, 1.0]
    assert data["labels"][0] == "status-array"


def test_html(three) -> None:
    assert three._repr_html_().startswith("<table><caption>karate from")


def test_an_unknown_technique_is_found_out_before_anything_runs() -> None:
    with pytest.raises(UsageError, match="did you mean scan-free"):
        gpubfs.compare(["status-array", "scan-fre"], "kron:40")


def test_nothing_to_compare() -> None:
    with pytest.raises(UsageError, match="nothing to compare"):
        gpubfs.compare([], "toy")


def test_settings_reach_the_simulator() -> None:
    made = gpubfs.compare(["scan-free:block=8"], "toy", source=0, device="toy4")
    assert made.runs[0].device == "toy4"
    assert made.runs[0].source == 0


def test_options_from_text() -> None:
    assert parse("scan-free") == ("scan-free", {})
    assert parse("a:b=1,c-d=x") == ("a", {"b": "1", "c_d": "x"})
    assert options([" block = 4 "]) == {"block": "4"}
    with pytest.raises(UsageError, match='"block" is not an option'):
        options(["block"])


def test_one_name_and_one_machine_need_no_list() -> None:
    made = gpubfs.compare("scan-free", "toy", "sim")
    assert made.labels == ("scan-free",)


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"machine": "sim"}, "did you mean machines"), ({"block": 64}, "scan-free:block=64")],
)
def test_unknown_settings_are_refused(settings, words) -> None:
    with pytest.raises(UsageError, match=words):
        gpubfs.compare(["scan-free"], "toy", **settings)


def test_options_beside_the_name() -> None:
    assert parse("a:b=1", ["c=2"]) == ("a", {"b": "1", "c": "2"})
    for spec, pairs in (("a:b=1", ["b=2"]), ("a", ["b-c=1", "b_c=1"]), ("a:b=1,b=1", [])):
        with pytest.raises(UsageError, match="given twice"):
            parse(spec, pairs)
    with pytest.raises(UsageError, match="no option after it"):
        parse("a:")
    with pytest.raises(UsageError, match='"" is not an option'):
        parse("a:b=1,")


def test_a_comparison_is_one_line_in_a_plain_prompt(three) -> None:
    text = repr(three)
    assert text.startswith("<status-array, scan-free, block-prefix-sum:block=64 on karate from 33,")
    assert "depth 4, all verified" in text
    assert "\n" not in text
