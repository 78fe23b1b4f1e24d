"""`gpubfs leaderboard`: what it shows and writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpubfs.grading.cohort import grading as cohort
from gpubfs.grading.cohort.packing import Packed
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.processes.sandbox import SECRET

CAPSTONE = Path(__file__).parents[3] / "lessons" / "12-best" / "exercises" / "capstone"
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Packed]:
    """Instead of running: a submission costs what its text says, or is wrong."""
    calls: list[Packed] = []

    def fake(packed: Packed) -> dict[str, Any]:
        calls.append(packed)
        text = packed.content.decode()
        wrong = Failure("result", "vertex 3 has level 4") if text == "wrong" else None
        exercise = packed.exercise
        made = []
        for case in exercise.cases:
            if case.hidden and not packed.secret:
                made.append(Outcome(case.name, case.points, True, skipped=True))
                continue
            own = 0 if wrong else float(text)
            costs = {} if wrong else dict.fromkeys(exercise.score, (own, 10.0))
            made.append(Outcome(case.name, case.points, case.hidden, wrong, costs=costs))
        return Grade(exercise.name, exercise.title, packed.name, tuple(made)).as_dict()

    monkeypatch.setattr(cohort, "grade_packed", fake)
    monkeypatch.setenv(SECRET, "a secret")
    return calls


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A class: two that are equally good, one worse, one wrong, one with nothing."""
    folder = tmp_path / "handed-in"
    for name, text in {"ada": "5", "bob": "5", "cyd": "8", "dan": "wrong", "eve": ""}.items():
        (folder / name).mkdir(parents=True)
        if text:
            (folder / name / "capstone.cu").write_text(text)
    return folder


@pytest.fixture
def rank(call: Call, there: Path, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    def ranked(*more: object, of: Path = CAPSTONE, to: object = tmp_path / "to") -> Any:
        return call("leaderboard", there, "--exercise", of, "--to", to, "--jobs", 1, *more)

    return ranked


def rows(out: str) -> list[list[str]]:
    return [line.split() for line in out.splitlines() if line[:5].strip().isdigit()]


def test_places_are_by_score_and_ties_are_shared(rank: Call, runs: list[Packed]) -> None:
    code, out, _ = rank()
    assert code == 0
    assert rows(out) == [["1", "ada", "50.00"], ["1", "bob", "50.00"], ["3", "cyd", "80.00"]]
    assert "(persistent itself)" in out
    below = out[out.index("without a place") :]
    assert "vertex 3 has level 4" in below
    assert "eve" in below
    assert "nothing was handed in" in below
    assert "geometric mean" in out
    assert "load_sectors 3" in out
    assert all(packed.measure for packed in runs)


def test_nothing_is_run_twice_and_marks_are_not_taken_for_it(
    rank: Call, runs: list[Packed], tmp_path: Path, call: Call, there: Path
) -> None:
    rank()
    assert len(runs) == 4
    assert rank()[0] == 0
    assert len(runs) == 4
    code, *_ = call("grade-all", there, "--exercise", CAPSTONE, "--to", tmp_path / "to")
    assert code == 0
    assert len(runs) == 8
    assert not any(packed.measure for packed in runs[4:])
    rank()
    assert len(runs) == 8


def test_json_has_what_each_graph_cost(rank: Call, runs: list[Packed]) -> None:
    code, out, _ = rank("--json")
    assert code == 0
    data = json.loads(out)
    assert data["technique"] == "persistent"
    assert data["weights"]["load_sectors"] == 3
    first, *_, last = data["entries"]
    assert (first["student"], first["place"], first["score"]) == ("ada", 1, 50.0)
    assert len(first["cases"]) == 10
    assert set(first["cases"].values()) == {0.5}
    assert (last["student"], last["place"], last["why"]) == ("eve", None, "nothing was handed in")


def test_codes_stand_for_names_and_are_told_to_instructors(rank: Call, runs: list[Packed]) -> None:
    code, out, _ = rank("--anonymous")
    assert code == 0
    codes = {e["student"]: e["code"] for e in json.loads(rank("--json")[1])["entries"]}
    for student, stead in codes.items():
        assert student not in out.split()
        assert stead in out.split()
    assert "vertex 3" not in out
    hidden = json.loads(rank("--json", "--anonymous")[1])["entries"]
    assert not any("student" in entry for entry in hidden)


@pytest.mark.parametrize("name", ["board.html", "board.md"])
def test_pages_have_the_same_tables(
    rank: Call, runs: list[Packed], there: Path, tmp_path: Path, name: str
) -> None:
    (there / "<b>x").mkdir()
    (there / "<b>x" / "capstone.cu").write_text("20")
    page = tmp_path / name
    code, out, _ = rank("--page", page)
    assert code == 0
    assert f"written: {page}" in out.replace("\n", "")
    text = page.read_text("utf-8")
    for words in ("ada", "50.00", "200.00", "nothing was handed in", "geometric mean"):
        assert words in text
    assert "<b>x" not in text


def test_the_technique_stands_where_its_score_would(
    rank: Call, runs: list[Packed], there: Path
) -> None:
    (there / "zoe").mkdir()
    (there / "zoe" / "capstone.cu").write_text("70")
    out = rank()[1]
    assert out.index("cyd") < out.index("(persistent itself)") < out.index("zoe")


def test_a_page_has_bars_and_known_graphs_and_nothing_of_hidden_ones(
    rank: Call, runs: list[Packed], there: Path, tmp_path: Path
) -> None:
    (there / "zoe").mkdir()
    (there / "zoe" / "capstone.cu").write_text("70")
    page = tmp_path / "board.html"
    code, *_ = rank("--page", page, "--anonymous")
    assert code == 0
    text = page.read_text("utf-8")
    exercise = load(CAPSTONE)
    for case in exercise.cases:
        assert (f"<span>{case.name}</span>" in text) is not case.hidden
    assert "prefers-color-scheme: dark" in text
    assert text.count('class="par"') == 5
    assert text.count('class="bar beyond"') == 1
    assert not any(name in text for name in ("ada", "bob", "zoe"))
    known = sum(not case.hidden for case in exercise.cases)
    assert text.count('<td class="full">50</td>') == 2 * known
    assert text.count('<td class="most">80</td>') == known
    assert text.count('<td class="some">700</td>') == known


def test_a_page_without_any_place_says_so(
    rank: Call, runs: list[Packed], there: Path, tmp_path: Path
) -> None:
    for name in ("ada", "bob", "cyd"):
        (there / name / "capstone.cu").write_text("wrong")
    page = tmp_path / "board.html"
    assert rank("--page", page)[0] == 0
    text = page.read_text("utf-8")
    assert "0 of 5" in text
    assert "cost on each graph" not in text


def test_without_a_secret_hidden_graphs_are_left_out_and_that_is_told(
    rank: Call, runs: list[Packed], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SECRET)
    out = rank("--json")[1]
    assert json.loads(out)["notes"] == ["5 hidden cases were left out: GPUBFS_SECRET is not set."]
    assert len(json.loads(out)["entries"][0]["cases"]) == 5
    assert rank("--anonymous", "--json")[1] != rank("--anonymous", "--json")[1]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--page", "board.pdf"), "a page does not end in .pdf"),
        (("--page", "no/where/board.md"), "cannot be written"),
        (("--scheduler", " "), "--scheduler has no address"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_runs(
    rank: Call, runs: list[Packed], more: tuple[str, ...], words: str
) -> None:
    code, _, err = rank(*more)
    assert code == 2
    assert words in err
    assert runs == []


def test_results_do_not_go_among_students(rank: Call, there: Path, runs: list[Packed]) -> None:
    code, _, err = rank(to=there / "to")
    assert code == 2
    assert "where every folder is a student's" in err


def test_exercises_without_a_score_are_refused(rank: Call, runs: list[Packed]) -> None:
    code, _, err = rank(of=CAPSTONE.parent / "one-launch")
    assert code == 2
    assert "12-best/one-launch has no score" in err
