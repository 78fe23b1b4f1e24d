"""A lesson's notebook as slides: which cell begins one, as `jupyter nbconvert` reads it."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpubfs.grading.notebooks import nbgrader

#: nbconvert's words: to the right, downwards, on the slide before, and not at all.
SLIDE, BELOW, SAME, LEFT_OUT = "slide", "subslide", "-", "skip"
#: A heading, and how much of a cell's name is kept in that of a part of it.
HEADING, MOST_OF_ID = re.compile(r"#{1,6} "), 56


def write_slides(notebook: Path, to: Path) -> int:
    """Write a notebook for slides, without the answers; return how many slides there are.

    Raises
    ------
    UsageError
        If the notebook is none, or its nbgrader metadata are not as they must be.
    """
    made = with_slides(nbgrader.student_version(notebook, nbgrader.read_notebook(notebook)))
    nbgrader.write_notebook(to, made)
    types = (cell["metadata"]["slideshow"]["slide_type"] for cell in made["cells"])
    return sum(one in (SLIDE, BELOW) for one in types)


def with_slides(notebook: Mapping[str, Any]) -> dict[str, Any]:
    r"""Return a notebook whose cells say where slides begin.

    A heading begins a slide to the right, in the middle of a cell too, any other text one below it;
    code is on the slide of its text, and cells that only check answers are left out.

    Examples
    --------
    >>> texts = ("markdown", "# A warp"), ("code", "1"), ("markdown", "So.\n\n## Votes")
    >>> cells = [{"cell_type": kind, "source": text, "metadata": {}} for kind, text in texts]
    >>> made = with_slides({"cells": cells})
    >>> [cell["metadata"]["slideshow"]["slide_type"] for cell in made["cells"]]
    ['slide', '-', 'subslide', 'slide']
    """
    made: dict[str, Any] = copy.deepcopy(dict(notebook))
    made["cells"] = [part for cell in made["cells"] for part in _parts(cell)]
    for cell in made["cells"]:
        cell["metadata"]["slideshow"] = {"slide_type": _slide_type(cell)}
    return made


def _parts(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a cell of text as cells that have headings at their beginnings only."""
    texts = [""]
    fenced = False
    for line in "".join(cell["source"]).splitlines(keepends=True):
        fenced ^= line.lstrip().startswith("```")
        if HEADING.match(line) and texts[-1].strip() and not fenced:
            texts.append("")
        texts[-1] += line
    if cell["cell_type"] != "markdown" or len(texts) == 1:
        return [cell]
    made = [{**copy.deepcopy(cell), "source": text.rstrip("\n")} for text in texts]
    for number, part in enumerate(made[1:], 2):
        if "id" in part:  # which no two cells may share
            part["id"] = f"{part['id'][:MOST_OF_ID]}-{number}"
    return made


def _slide_type(cell: Mapping[str, Any]) -> str:
    marks = cell["metadata"].get("nbgrader", {})
    if marks.get("grade") and not marks.get("solution"):
        return LEFT_OUT
    if cell["cell_type"] != "markdown":
        return SAME
    return SLIDE if "".join(cell["source"]).startswith("#") else BELOW
