"""The page that students find in a release: how to begin, and what each lesson is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpubfs.grading.exercise import FILE
from gpubfs.grading.loading import in_order
from gpubfs.grading.notebooks import nbgrader
from gpubfs.grading.writing import write

#: The page, and the text that it is made of.
NAME, TEXT = "README.md", Path(__file__).with_name("handout.md")
#: What a page has that was written here, and may be written anew.
OURS = "<!-- Written by gpubfs release. -->"


def write_handout(course: Path) -> None:
    """Write the page into the folder of released lessons; a page of somebody's own is left alone.

    Parameters
    ----------
    course : Path
        The folder, with a folder for each lesson.
    """
    page = course / NAME
    if page.exists() and OURS not in page.read_text("utf-8", "replace"):
        return
    folders = sorted((path for path in course.iterdir() if path.is_dir()), key=in_order)
    lessons = [row for folder in folders for row in _rows(folder)]
    table = "\n".join(["| lesson | about |", "| --- | --- |", *lessons])
    found = (path.parent.name for folder in folders for path in sorted(folder.rglob(FILE)))
    text = TEXT.read_text("utf-8")
    write(page, text.format(lessons=table, exercise=next(found, "SLUG")))


def _rows(folder: Path) -> Iterator[str]:
    """Yield a row of the table for each notebook of a lesson, or one for its exercises."""
    notebooks = sorted(folder.glob("*.ipynb"))
    for path in notebooks:
        texts = [
            cell.source
            for cell in nbgrader.cells_of(path, nbgrader.read_notebook(path))
            if not cell.code
        ]
        title, about = _head(texts[0] if texts else "")
        link = f"{folder.name}/{path.name}".replace(" ", "%20")
        yield f"| [{title or path.stem}]({link}) | {about} |"
    if not notebooks and any(folder.rglob(FILE)):
        yield f"| {folder.name} | exercises |"


def _head(text: str) -> tuple[str, str]:
    r"""Return a notebook's title, and what one learns of it.

    >>> _head('''# 09 Loads
    ...
    ... **You learn** what a load | costs.
    ... **You need** nothing.''')
    ('09 Loads', 'what a load \\| costs')
    """
    title = re.match(r"# (.+)", text)
    learn = re.search(r"\*\*You learn\*\*\s+(.+?)\.\s+\*\*You need", text, re.DOTALL)
    words = (" ".join(found[1].split()) if found else "" for found in (title, learn))
    name, about = (text.replace("|", "\\|") for text in words)
    return name, about
