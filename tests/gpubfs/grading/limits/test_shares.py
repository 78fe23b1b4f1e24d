"""Limits that are shares of what the technique's own kernel counts in the same search."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.errors import ExerciseError
from gpubfs.grading.kinds.kernel import KernelKind
from gpubfs.grading.limits.costs import Cost
from gpubfs.grading.limits.shares import exceeded_share, limits_of
from gpubfs.grading.loading import load
from gpubfs.grading.steps.rerun import opened
from gpubfs.kernels import KERNELS
from gpubfs.search import runs

TEXT = """
title = "T"
kind = "limit"
hints = ["Look."]
includes = ["csr.cuh"]
[search]
technique = "status-array"
block = 32
[score]
load_sectors = 2
launches = 1
[[cases]]
name = "seven"
points = 1
given = { graph = "path:7", source = 0 }
schedules = ["lockstep"]
shares = { SHARES }
[[cases]]
name = "any"
points = 1
hidden = true
given = { graph = "er:5,seed={seed}" }
schedules = ["lockstep"]
shares = { load_requests = 0.5 }
"""
OWN = (KERNELS / "status_array.cu").read_text("utf-8")


def written(folder: Path, shares: str, text: str = TEXT) -> Path:
    made = folder / "lessons" / "00-any" / "exercises" / "some"
    made.mkdir(parents=True)
    (made / "exercise.toml").write_text(text.replace("SHARES", shares))
    (made / "csr.cuh").write_text((KERNELS / "csr.cuh").read_text("utf-8"))
    (made / "mine.cu").write_text(OWN)
    return made


def submitted(folder: Path, shares: str) -> KernelKind:
    made = written(folder, shares)
    return KernelKind(load(made), made / "mine.cu")


def test_shares_of_whole_counters_are_whole() -> None:
    own = Cost({"launches": 30, "load_sectors": 7, "simt_efficiency": 0.5, "grid_syncs": 0})
    shares = {"launches": 0.1, "load_sectors": 0.5, "idle_share": 0.5, "grid_syncs": 3}
    assert limits_of(shares, own) == {
        "launches": 3,
        "load_sectors": 3,
        "idle_share": 0.25,
        "grid_syncs": 0,
    }
    for percent in range(1, 100):
        assert limits_of({"launches": percent / 100}, Cost({"launches": 100})) == {
            "launches": percent
        }


def test_what_is_not_counted_is_nobodys_loss() -> None:
    with pytest.raises(ExerciseError, match="launches is limited, and is not counted"):
        limits_of({"launches": 1}, Cost({}))
    lost = exceeded_share({"launches": 1}, Cost({}), Cost({"launches": 1}))
    assert lost is not None
    assert lost.message == "launches was not counted"


def test_the_technique_keeps_all_of_its_own_cost_and_no_less(tmp_path: Path) -> None:
    whole = submitted(tmp_path / "whole", "load_sectors = 1, launches = 1")
    assert whole.grade_case(whole.exercise.cases[0], 1) is None
    less = submitted(tmp_path / "less", "launches = 1, load_sectors = 0.99")
    lost = less.grade_case(less.exercise.cases[0], 1)
    assert lost is not None
    counted = runs.run("status-array", "path:7", 0, device="h200", block=32).counters
    sectors = counted["load_sectors"]
    most = int(0.99 * sectors)
    words = f"load_sectors is {sectors}, more than {most}, which is 0.99 of status-array on path:7"
    assert (lost.reason, lost.expected) == ("limit", f"at most {most}")
    assert words in lost.message


def test_of_a_hidden_graph_no_number_is_told(tmp_path: Path) -> None:
    made = submitted(tmp_path, "launches = 1")
    lost = made.grade_case(made.exercise.cases[1], 12_345)
    assert lost is not None
    assert lost.general == "the result is right, but load_requests is above its limit"


def test_a_trace_of_such_a_loss_begins_where_the_counter_grows(tmp_path: Path) -> None:
    made = written(tmp_path, "load_sectors = 0.5")
    with opened(load(made), made / "mine.cu", "1") as rerun:
        assert rerun.failure is not None
        assert set(rerun.limits) == {"load_sectors"}
        assert rerun.watched.limits == rerun.limits


def test_counters_of_the_score_stand_beside_the_techniques(tmp_path: Path) -> None:
    made = submitted(tmp_path, "launches = 1")
    case = dataclasses.replace(made.exercise.cases[0], shares={})
    assert made.compared(case, 1) == {}
    assert made.grade_case(case, 1) is None
    found = made.compared(case, 1)
    assert set(found) == {"load_sectors", "launches"}
    assert list(found["launches"]) == [7, 7]
    assert found["load_sectors"][0] == found["load_sectors"][1] > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("SHARES", "load_sectors = 0"), "share load_sectors is 0"),
        (("SHARES", 'load_sectors = "half"'), "share load_sectors is 'half'"),
        (("SHARES", "load_sector = 1"), "did you mean load_sectors"),
        (("load_sectors = 2", "load_sectors = -2"), "weight load_sectors is -2"),
        (("load_sectors = 2", "load_sector = 2"), "did you mean load_sectors"),
        (("[search]\n", "[searches]\n"), "searches"),
    ],
)
def test_wrong_shares_and_scores_are_refused(
    tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    made = written(tmp_path, "launches = 1", TEXT.replace(*change))
    with pytest.raises(UsageError) as caught:
        load(made)
    assert words in str(caught.value)


@pytest.mark.parametrize("key", ["shares", "score"])
def test_without_a_technique_there_is_nothing_to_compare_with(tmp_path: Path, key: str) -> None:
    score = "[score]\nlaunches = 1\n" if key == "score" else ""
    shares = "shares = { launches = 1 }\n" if key == "shares" else ""
    head = 'title = "T"\nkind = "write"\nhints = ["Look."]\n'
    text = f'{head}{score}[[cases]]\nname = "a"\npoints = 1\n{shares}'
    made = written(tmp_path, "", text)
    (made / "problem.py").write_text("")
    with pytest.raises(UsageError, match="nothing to compare with"):
        load(made)
