"""Slides of lessons: where they begin, and that no answer is on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpubfs.cli.main import group
from gpubfs.errors import UsageError
from gpubfs.grading.notebooks.slides import with_slides

LESSONS = Path(__file__).parents[4] / "lessons"
NOTEBOOKS = sorted(LESSONS.glob("*/*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_lesson_has_slides_without_answers(notebook: Path, tmp_path: Path) -> None:
    to = tmp_path / "slides.ipynb"
    result = CliRunner().invoke(group, ["slides", str(notebook), "--to", str(to)])
    assert result.exit_code == 0
    text = to.read_text("utf-8")
    assert "BEGIN SOLUTION" not in text
    cells = json.loads(text)["cells"]
    types = [cell["metadata"]["slideshow"]["slide_type"] for cell in cells]
    assert types[0] == "slide"
    assert types.count("slide") >= 4
    names = [cell["id"] for cell in cells if "id" in cell]
    assert len(set(names)) == len(names)
    for cell in cells:
        if cell["cell_type"] == "markdown":
            assert "\n## " not in "".join(cell["source"])
    assert f"{types.count('slide') + types.count('subslide')} slides" in result.output


def test_a_heading_in_the_middle_of_a_text_begins_a_slide() -> None:
    text = "So.\n\n```bash\n# no heading\n```\n\n## One\n\n### Two\nMore.\n"
    cells = [
        {"cell_type": "markdown", "id": "a", "source": text, "metadata": {}},
        {"cell_type": "code", "id": "b", "source": "1\n# no heading", "metadata": {}},
    ]
    made = with_slides({"cells": cells})["cells"]
    assert [(cell["id"], cell["metadata"]["slideshow"]["slide_type"]) for cell in made] == [
        ("a", "subslide"),
        ("a-2", "slide"),
        ("a-3", "slide"),
        ("b", "-"),
    ]
    assert [cell["source"] for cell in made[:3]] == [
        "So.\n\n```bash\n# no heading\n```",
        "## One",
        "### Two\nMore.",
    ]
    assert cells[0]["source"] == text


def test_a_notebook_is_not_replaced_by_its_slides(tmp_path: Path) -> None:
    own = tmp_path / "own.ipynb"
    own.write_bytes(NOTEBOOKS[0].read_bytes())
    result = CliRunner().invoke(group, ["slides", str(own), "--to", str(own)])
    assert isinstance(result.exception, UsageError)
    assert own.read_bytes() == NOTEBOOKS[0].read_bytes()


def test_what_is_no_notebook_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.ipynb"
    own.write_text("{}", "utf-8")
    result = CliRunner().invoke(group, ["slides", str(own), "--to", str(tmp_path / "to.ipynb")])
    assert isinstance(result.exception, UsageError)
