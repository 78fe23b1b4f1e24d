"""A leaderboard's scores, places and words, and what a measured case tells."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.packing import grade_packed, pack
from gpubfs.grading.cohort.ranking import (
    PAR,
    board,
    board_dict,
    check_score,
    code_of,
    geometric_mean,
    ranked,
    relative_cost,
)
from gpubfs.grading.cohort.submissions import Marked
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.kernels import KERNELS

TEXT = """
title = "T"
kind = "limit"
hints = ["Look."]
includes = ["csr.cuh"]
[search]
technique = "status-array"
block = 32
[score]
load_sectors = 3
launches = 1
[[cases]]
name = "seven"
points = 1
given = { graph = "path:7", source = 0 }
schedules = ["lockstep", "warp"]
limits = { launches = 1 }
shares = { load_sectors = 0.01 }
[[cases]]
name = "any"
points = 1
hidden = true
given = { graph = "er:5,seed={seed}" }
schedules = ["lockstep"]
"""
OWN = (KERNELS / "status_array.cu").read_text("utf-8")
WRONG = Failure("result", "vertex 3 has level 4", "f", "3", "4")


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    folder = tmp_path / "lessons" / "00-any" / "exercises" / "some"
    folder.mkdir(parents=True)
    (folder / "exercise.toml").write_text(TEXT)
    return load(folder)


def marked(student: str, *ratios: float, lost: Failure | None = None) -> Marked:
    """A student whose cases cost so much of the technique's."""
    costs = [{"load_sectors": (100 * r, 100.0), "launches": (8 * r, 8.0)} for r in ratios]
    made = [Outcome(f"case {n}", 1, costs=cost) for n, cost in enumerate(costs)]
    made += [Outcome("last", 1, hidden=True, failure=lost)] if lost else []
    return Marked(student, Grade("00-any/some", "T", "some.cu", tuple(made)))


def test_the_score_is_the_geometric_mean_of_weighted_means(exercise: Exercise) -> None:
    costs = {"load_sectors": (50.0, 100.0), "launches": (16.0, 8.0)}
    assert relative_cost(costs, exercise.score) == (3 * 0.5 + 1 * 2) / 4
    (one,) = ranked([marked("ada", 0.5, 2.0, 8.0)], exercise, "s")
    assert one.score == 200
    assert dict(one.cases) == {"case 0": 0.5, "case 1": 2.0, "case 2": 8.0}


def test_where_the_technique_counts_nothing_one_is_added_to_both() -> None:
    assert relative_cost({"a": (0, 0)}, {"a": 5}) == 1
    assert relative_cost({"a": (3, 0)}, {"a": 5}) == 4
    assert geometric_mean([0.0, 4.0]) == 0


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=8))
def test_the_mean_does_not_depend_on_order_and_lies_between(values: list[float]) -> None:
    mean = geometric_mean(values)
    assert mean == geometric_mean(reversed(values))
    assert min(values) * (1 - 1e-9) <= mean <= max(values) * (1 + 1e-9)
    assert math.isclose(geometric_mean(2 * v for v in values), 2 * mean)


def test_equal_scores_share_their_place_and_the_next_one_is_left_out(exercise: Exercise) -> None:
    scores = {"dan": 0.5, "bob": 0.7, "ada": 0.7, "cyd": 0.700001, "eve": 0.9}
    rows = [marked(name, value) for name, value in scores.items()]
    for order in itertools.islice(itertools.permutations(rows), 0, None, 7):
        found = [(e.place, e.student) for e in ranked(order, exercise, "s")]
        assert found == [(1, "dan"), (2, "ada"), (2, "bob"), (2, "cyd"), (5, "eve")]


def test_who_is_wrong_in_one_case_has_no_place_and_reads_why(exercise: Exercise) -> None:
    none = Marked(
        "zoe",
        Grade(
            "00-any/some",
            "T",
            "",
            (Outcome("a", 1, failure=Failure("missing", "nothing was handed in")),),
        ),
    )
    entries = ranked([marked("bob", 0.1, lost=WRONG), none, marked("ada", 3)], exercise, "s")
    assert [(e.student, e.place) for e in entries] == [("ada", 1), ("bob", None), ("zoe", None)]
    assert entries[1].why() == "last: vertex 3 has level 4"
    assert entries[1].why(anonymous=True) == "last: a result is wrong"
    assert entries[2].why() == "nothing was handed in"


def test_without_names_nothing_of_a_submission_is_left(exercise: Exercise) -> None:
    secret_name = "lovelace"
    failure = Failure("read", f"{secret_name}_some.cu cannot be read")
    entries = ranked(
        [marked(secret_name, 2), marked("b" + secret_name, 1, lost=failure)], exercise, "s"
    )
    shown = "".join(sheet.html() for sheet in board(entries, exercise, anonymous=True))
    told = json.dumps(board_dict(entries, exercise, anonymous=True))
    assert secret_name not in shown + told
    assert code_of(secret_name, "s") in shown
    assert secret_name in "".join(sheet.html() for sheet in board(entries, exercise, False))
    assert (
        json.loads(json.dumps(board_dict(entries, exercise, False)))["entries"][0]["score"] == 200
    )


def test_names_cannot_write_into_the_page(exercise: Exercise) -> None:
    entries = ranked([marked("<script>|\n# x", 1)], exercise, "s")
    (sheet,) = board(entries, exercise, False)
    assert "<script>" not in sheet.html()
    assert "\n# x" not in sheet.markdown()
    assert f"{PAR:.2f}" in sheet.markdown()


def test_skipped_cases_count_neither_way_and_some_must_be_left(exercise: Exercise) -> None:
    one = marked("ada", 0.5)
    more = Outcome("any", 1, hidden=True, skipped=True)
    grade = Grade("00-any/some", "T", "some.cu", (*one.grade.outcomes, more))
    assert ranked([Marked("ada", grade)], exercise, "s")[0].score == 50
    with pytest.raises(UsageError, match="all cases are hidden"):
        ranked([Marked("ada", Grade("00-any/some", "T", "some.cu", (more,)))], exercise, "s")


def test_an_exercise_without_a_score_is_refused(exercise: Exercise) -> None:
    check_score(exercise)
    sums = Path(__file__).parents[3] / "lessons" / "00-warp" / "exercises" / "sum"
    with pytest.raises(UsageError, match="00-warp/sum has no score"):
        check_score(load(sums))


def measured(exercise: Exercise, folder: Path, text: str, measure: bool = True) -> dict[str, Any]:
    file = folder / "some.cu"
    file.write_text(text)
    found = grade_packed(pack(exercise, file, "a secret", measure))
    return {outcome["case"]: outcome for outcome in found["outcomes"]}


@pytest.mark.slow
def test_measured_cases_tell_costs_whatever_their_limits(
    exercise: Exercise, tmp_path: Path
) -> None:
    found = measured(exercise, tmp_path, OWN)
    assert [outcome["failure"] for outcome in found.values()] == [None, None]
    for outcome in found.values():
        assert set(outcome["costs"]) == {"load_sectors", "launches"}
        assert all(own == other > 0 for own, other in outcome["costs"].values())
    graded = measured(exercise, tmp_path, OWN, measure=False)
    assert graded["seven"]["failure"]["reason"] == "limit"
    assert all("costs" not in outcome for outcome in graded.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("int w = neighbours[e];", "int w = neighbours[e + (1 << 28)];"), "fault"),
        (("offset_t e = offsets[v]; e < end; e++", "offset_t e = offsets[v]; ; e += 0"), "fault"),
        (("depth + 1;", "depth + 2;"), "result"),
        (('#include "csr.cuh"', '#include "/etc/passwd"'), "read"),
        (('#include "csr.cuh"', '#include "../../secret.h"'), "read"),
    ],
)
def test_hostile_submissions_cost_themselves_only(
    exercise: Exercise, tmp_path: Path, change: tuple[str, str], reason: str
) -> None:
    assert change[0] in OWN
    found = measured(exercise, tmp_path, OWN.replace(*change))
    reasons = {outcome["failure"]["reason"] for outcome in found.values()}
    assert reasons <= {reason, "time"}
    assert all("costs" not in outcome for outcome in found.values())
