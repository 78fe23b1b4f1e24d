"""Which exercises a course has, in which order, and which is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.learning.course import find

TOML = """title = "{slug}"
kind = "{kind}"
hints = ["one", "two"]
search = {{ technique = "scan-free" }}
[[cases]]
name = "a"
points = 3
given = {{ graph = "toy" }}
"""
KINDS = {"alpha": "limit", "beta": "write", "gamma": "mend"}


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "course" / "release"
    for lesson in ("00-first", "01-second"):
        for slug, kind in KINDS.items():
            folder = home / lesson / "exercises" / (slug if lesson[1] == "0" else f"{slug}-more")
            folder.mkdir(parents=True)
            (folder / "exercise.toml").write_text(TOML.format(slug=slug, kind=kind))
    monkeypatch.chdir(tmp_path)
    return home


FIRST = ["00-first/beta", "00-first/gamma", "00-first/alpha"]


def names(wanted: str = "") -> list[str]:
    return [one.name for one in find(wanted).exercises]


def test_it_is_found_from_all_around_it(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = names()
    assert every[:3] == FIRST
    assert len(every) == 6
    assert names("course") == names("course/release") == every
    monkeypatch.chdir(course)
    assert names() == every
    assert names("00-first") == names("00-first/exercises") == FIRST
    monkeypatch.chdir("00-first/exercises/beta")
    assert names() == FIRST
    assert find().first == "00-first/beta"


def test_the_first_lesson_has_no_number_and_its_exercises_have(course: Path) -> None:
    puzzles = {"1-begin": "write", "2-guard": "mend", "3-stride": "write", "10-sectors": "limit"}
    for slug, kind in puzzles.items():
        folder = course / "first-kernels" / "exercises" / slug
        folder.mkdir(parents=True)
        (folder / "exercise.toml").write_text(TOML.format(slug=slug, kind=kind))
    assert names()[:5] == [*(f"first-kernels/{slug}" for slug in puzzles), FIRST[0]]


def test_lessons_and_exercises_have_names(course: Path) -> None:
    assert names("00") == names("00-first") == FIRST
    assert find("beta").first == find("00-first/beta").first == "00-first/beta"
    assert find("gamma-m").first == "01-second/gamma-more"


@pytest.mark.parametrize("wanted", ["0", "beat", "02-third"])
def test_what_is_not_there_or_not_clear_is_refused(wanted: str, course: Path) -> None:
    with pytest.raises(UsageError, match=wanted) as refused:
        find(wanted)
    assert "beta" in refused.value.hint


def test_a_folder_without_exercises_says_how_to_make_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for wanted in ("", "00-warp", "."):
        with pytest.raises(UsageError, match="no exercise") as refused:
            find(wanted)
        assert "gpubfs release course" in refused.value.hint
