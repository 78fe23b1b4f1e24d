"""`gpubfs release` and `gpubfs starters` on folders that are not what they were meant for."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from gpubfs.cli.main import group, main

REVERSE = Path(__file__).parents[4] / "lessons" / "00-warp" / "exercises" / "reverse"


@pytest.fixture
def lessons(tmp_path: Path) -> Path:
    made = tmp_path / "lessons"
    shutil.copytree(REVERSE, made / "00-first" / "exercises" / "reverse")
    (made / "01-second").mkdir()
    return made


def ran(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    with pytest.raises(SystemExit) as caught:
        main([*map(str, arguments)])
    return int(caught.value.code or 0), " ".join(capsys.readouterr().err.split())


def test_the_folder_of_all_lessons_is_released(
    lessons: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(capsys, "release", tmp_path / "course", "--lessons", lessons) == (0, "")
    assert (tmp_path / "course/release/00-first/exercises/reverse/starter.cu").is_file()


@pytest.mark.parametrize(
    "below", ["00-first", "00-first/exercises", "00-first/exercises/reverse", ".."]
)
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_another_folder_is_not(
    below: str,
    force: tuple[str, ...],
    lessons: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    to = tmp_path.parent / f"{tmp_path.name}-course"
    code, told = ran(capsys, "release", to, "--lessons", lessons / below, *force)
    assert code == 2
    assert "name the folder of the lessons" in told
    assert told.endswith(f"--lessons {lessons}")
    assert not to.exists()


def test_the_folder_of_a_notebook_is_not(
    lessons: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (lessons / "01-second" / "01-second.ipynb").write_text("{}")
    code, told = ran(capsys, "release", tmp_path / "course", "--lessons", lessons / "01-second")
    assert code == 2
    assert "name the folder of the lessons" in told


@pytest.mark.parametrize("command", ["starters", "release"])
def test_an_exercise_that_is_none_is_told(
    command: str, lessons: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = lessons / "00-first/exercises/reverse/exercise.toml"
    shutil.copytree(file.parent, lessons / "01-second" / "exercises" / "other")
    file.rename(file.with_suffix(".tml"))
    to = ["release", tmp_path / "course", "--lessons", lessons]
    code, told = ran(capsys, *(to if command == "release" else ["starters", lessons, "--check"]))
    assert code == 2
    assert f"{file.parent} has a problem.py, and no exercise.toml" in told
    assert "rename exercise.tml" in told
    assert not (tmp_path / "course").exists()


@pytest.mark.parametrize("below", ["", "00-first", "00-first/exercises/reverse"])
def test_starters_are_made_of_any_part(
    below: str, lessons: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(capsys, "starters", lessons / below, "--check") == (0, "")


def test_students_find_a_page_that_leads_them_to_every_lesson(
    lessons: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "course"
    assert ran(capsys, "release", to, "--lessons", REVERSE.parents[2])[0] == 0
    page = (to / "release" / "README.md").read_text("utf-8")
    notebooks = {f"{path.parent.name}/{path.name}" for path in (to / "release").glob("*/*.ipynb")}
    links = re.findall(r"^\| \[[^]]+\]\(([^)]+)\) \| ([^|]+) \|$", page, re.MULTILINE)
    assert {link for link, _ in links} == notebooks
    assert all(about.strip() for _, about in links)
    commands = re.findall(r"^(?:gpubfs|python3 -m pytest).*", page, re.MULTILINE)
    assert {one.split()[1] for one in commands if one.startswith("gpubfs")} <= set(group.commands)
    slug = re.search(r"gpubfs grade exercises/(\S+)", page)
    assert slug
    assert list((to / "release").glob(f"*/exercises/{slug[1]}/exercise.toml"))


def test_a_page_of_one_s_own_is_left_alone(
    lessons: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "course"
    assert ran(capsys, "release", to, "--lessons", lessons) == (0, "")
    page = to / "release" / "README.md"
    assert "| 00-first | exercises |" in page.read_text("utf-8")
    page.write_text("mine")
    assert ran(capsys, "release", to, "--lessons", lessons, "--force") == (0, "")
    assert page.read_text("utf-8") == "mine"
