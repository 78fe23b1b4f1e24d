"""Notebooks as files, their cells, and the regions that are marked in these."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError


@dataclass(frozen=True)
class Cell:
    """One cell, and where it is.

    Attributes
    ----------
    notebook : Path
        The file.
    name : str
        Its id, or its number from 1 where it has none.
    data : dict
        What the file says of it.
    """

    notebook: Path
    name: str
    data: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.notebook}, cell {self.name}"

    @property
    def code(self) -> bool:
        """Whether it is a code cell."""
        return bool(self.data["cell_type"] == "code")

    @property
    def source(self) -> str:
        """Its text."""
        return source_of(self.data)

    @property
    def mark(self) -> dict[str, Any]:
        """What nbgrader's metadata say; empty where there are none."""
        found = self.data.get("metadata", {}).get("nbgrader", {})
        return found if isinstance(found, dict) else {"": found}

    def error(self, what: str, hint: str) -> UsageError:
        """An error that names it."""
        return UsageError(f"{self}: {what}", hint)


def source_of(cell: dict[str, Any]) -> str:
    """A cell's text, which a file holds whole or in lines."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def read(path: Path) -> dict[str, Any]:
    """A notebook's content.

    Raises
    ------
    UsageError
        If the file is no notebook of version 4.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no notebook: {error}", "save it again from Jupyter") from None
    if not isinstance(data, dict) or data.get("nbformat") != 4 or "cells" not in data:
        raise UsageError(f"{path} is no notebook of version 4", "save it again from Jupyter")
    return data


def write(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook as Jupyter does, its cells' text in lines."""
    rows = [cell | {"source": source_of(cell).splitlines(True)} for cell in notebook["cells"]]
    whole = notebook | {"cells": rows}
    text = json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def cells(path: Path, notebook: dict[str, Any]) -> list[Cell]:
    """A notebook's cells."""
    rows = enumerate(notebook["cells"], 1)
    return [Cell(path, repr(cell["id"]) if "id" in cell else f"{n}", cell) for n, cell in rows]


def regions(cell: Cell, name: str) -> list[list[str]]:
    """The lines of each region between ``BEGIN name`` and ``END name``.

    Raises
    ------
    UsageError
        If one is not ended, or ended without being begun.
    """
    found = []

    def keep(region: list[str]) -> list[str]:
        found.append(region)
        return []

    replaced(cell, name, keep)
    return found


def replaced(cell: Cell, name: str, stub: Callable[[list[str]], list[str]]) -> str:
    r"""A cell's text with `stub(lines)` in the place of each region, as far to the right.

    Raises
    ------
    UsageError
        If one is not ended, or ended without being begun.

    Examples
    --------
    >>> cell = Cell(Path("a"), "b", {"source": "  # BEGIN IT\n  c\n  # END IT\nd"})
    >>> print(replaced(cell, "IT", lambda lines: ["e"]))
      e
    d
    """
    kept: list[str] = []
    region: list[str] | None = None
    indent = ""
    for line in cell.source.split("\n"):
        begins, ends = f"BEGIN {name}" in line, f"END {name}" in line
        if (begins or ends) and begins != (region is None):
            what = "begins inside another" if begins else "is ended that was not begun"
            raise cell.error(f"a region {name} {what}", "regions come in pairs")
        if begins:
            region, indent = [], line[: len(line) - len(line.lstrip())]
        elif region is None:
            kept.append(line)
        elif ends:
            kept += [indent + row for row in stub(region)]
            region = None
        else:
            region.append(line)
    if region is not None:
        raise cell.error(f"a region {name} is not ended", f"write ### END {name}")
    return "\n".join(kept)
