"""The images of the course, as far as they can be tried where nothing builds images."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click import Group
from click.testing import CliRunner

from gpubfs.cli.main import group

ROOT = Path(__file__).parents[2]
TEXT = re.sub(r"\\\n", " ", (ROOT / "lessons" / "Dockerfile").read_text("utf-8"))
STEPS = [line.split(maxsplit=1) for line in TEXT.splitlines() if line and line[0] not in "# "]
STAGES = re.findall(r"^FROM \S+ AS (\w+)$", TEXT, re.MULTILINE)


def test_what_is_copied_is_there() -> None:
    copied = [shlex.split(rest) for step, rest in STEPS if step == "COPY"]
    ours = [words for words in copied if not words[0].startswith("--from=")]
    assert {path for words in ours for path in words[:-1]} >= {"pyproject.toml", "lessons"}
    for words in ours:
        assert all((ROOT / path).exists() for path in words[:-1])
    stages = {words[0].removeprefix("--from=") for words in copied if words not in ours}
    assert stages <= set(STAGES)


def test_students_get_no_solutions() -> None:
    course = TEXT[TEXT.index("AS course") : TEXT.index("AS grader")]
    assert "COPY lessons" not in course
    assert "/course/release" in course


def test_commands_are_ours() -> None:
    run = [rest for step, rest in STEPS if step == "RUN"]
    words = [shlex.split(part) for rest in run for part in rest.split("&&")]
    words += [json.loads(rest) for step, rest in STEPS if step == "CMD"]
    ours = [each[1:] for each in words if each[0] == "gpubfs"]
    assert [each[0] for each in ours] == ["release", "grade-all"]
    for command, *given in ours:
        assert isinstance(group, Group)
        options = {name for one in group.commands[command].params for name in one.opts}
        assert {one for one in given if one.startswith("--")} <= options


@pytest.mark.slow
def test_the_release_is_made_from_what_is_copied(tmp_path: Path) -> None:
    made = CliRunner().invoke(group, ["release", str(tmp_path / "course")])
    assert made.exit_code == 0
    released = tmp_path / "course" / "release"
    assert not list(released.rglob("solution*"))
    assert (released / "README.md").is_file()
