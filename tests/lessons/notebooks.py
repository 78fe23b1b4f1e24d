"""What every lesson's notebook must be, as a list of what one is not; and how one is run."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpubfs.grading.loading import in_order
from gpubfs.grading.notebook import explanations
from gpubfs.grading.notebooks.nbgrader import Cell, cells_of, read_notebook

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "lessons"
NOTEBOOKS = sorted(LESSONS.glob("*/*.ipynb"), key=lambda path: in_order(path.parent))

#: Seconds that a notebook may take.
MOST = 120
#: What a notebook may import besides the standard library.
KNOWN = {"gpubfs", "simulator", "numpy", "scipy", "networkx", "matplotlib", "rich", "IPython"}
#: What only exists on the machine on which somebody wrote it.
PLACES = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users)/")
#: A kernel, or the beginning of one, in prose.
KERNEL = re.compile(r"__global__[^`\n]*\(")


def problems(path: Path) -> list[str]:
    """What is wrong with a notebook as it is committed; empty if nothing is."""
    content = read_notebook(path)
    rows = cells_of(path, content)
    checks = (_form(path, content), _clean(rows), _order(rows), _predictions(rows), _imports(rows))
    return [words for check in checks for words in check]


def _form(path: Path, content: dict[str, Any]) -> Iterator[str]:
    if path.stem != path.parent.name:
        yield f"it is not called {path.parent.name}.ipynb, as its folder"
    if content.get("nbformat_minor") != 5:
        yield "it is not of version 4.5"
    if content["metadata"].get("kernelspec", {}).get("name") != "python3":
        yield "its kernel is not python3"
    ids = [cell.get("id") for cell in content["cells"]]
    if None in ids or len(set(ids)) < len(ids):
        yield "its cells do not have ids, one each"
    if path.read_text("utf-8") != json.dumps(content, indent=1, ensure_ascii=False) + "\n":
        yield "it is not written as Jupyter does, with an indent of 1"


def _clean(rows: list[Cell]) -> Iterator[str]:
    for cell in rows:
        if cell.data.get("outputs") or cell.data.get("execution_count"):
            yield f"cell {cell.name} has outputs"
        if "__global__" in cell.source if cell.code else KERNEL.search(cell.source):
            yield f"cell {cell.name} has a kernel, which belongs into a file"
        if PLACES.search(cell.source):
            yield f"cell {cell.name} names a place of one machine"


def _order(rows: list[Cell]) -> Iterator[str]:
    names = [cell.data.get("id") for cell in rows]
    if "question" not in names or rows[names.index("question")].code:
        yield "no cell of text has the id question"
    elif any(_predicts(cell) for cell in rows[: names.index("question")]):
        yield "something is predicted before the question"
    code = "\n".join(cell.source for cell in rows if cell.code)
    if not re.search(r"\b(recorded|against)\(|h200", code):
        yield "nothing recorded on hardware is shown"
    heads = [line for cell in rows if not cell.code for line in cell.source.splitlines()]
    titles = [line for line in heads if re.match(r"#+ ", line)]
    if not titles or not re.search(r"did \W*not\W* teach", titles[-1], re.IGNORECASE):
        yield "its last heading is not what this lesson did not teach"
    if not any("exercise" in title.lower() for title in titles):
        yield "no heading is about exercises"


def _predicts(cell: Cell) -> bool:
    return bool(cell.code and cell.mark.get("solution"))


def _predictions(rows: list[Cell]) -> Iterator[str]:
    """Each prediction is checked by a cell that comes later and explains itself.

    Its name begins with the lesson's number, or the first word of a lesson without one.
    """
    found = [cell for cell in rows if _predicts(cell)]
    if not found:
        yield "nothing is predicted"
    for cell in found:
        name = cell.mark["grade_id"]
        later = rows[rows.index(cell) + 1 :]
        tests = [one for one in later if one.mark.get("grade_id") == f"{name}-test"]
        if not name.startswith(f"{cell.notebook.parent.name.partition('-')[0]}-"):
            yield f"the grade_id {name} does not begin with the lesson's number"
        if not tests or not tests[0].mark["grade"]:
            yield f"no graded cell below cell {cell.name} has the grade_id {name}-test"
        else:
            yield from _checked(tests[0], name)


def _checked(cell: Cell, name: str) -> Iterator[str]:
    """A graded cell checks its prediction with `check`, which raises nothing and explains all."""
    if _nodes(cell, ast.Assert) or _nodes(cell, ast.Raise):
        yield f"cell {cell.name} ends a notebook whose numbers are not right yet"
    calls = [node for node in _nodes(cell, ast.Call) if getattr(node.func, "id", "") == "check"]
    if len(calls) != 1 or [getattr(arg, "value", None) for arg in calls[0].args] != [name]:
        yield f"cell {cell.name} does not check({name!r}, …)"
        return
    if cell.mark["points"] != 1:
        yield f"cell {cell.name} is worth other points than the 1 that check gives"
    for keyword in calls[0].keywords:
        if keyword.arg not in {"within", "numbers", *explanations().get(name, {})}:
            yield f"{name} does not explain {keyword.arg}"


def _imports(rows: list[Cell]) -> Iterator[str]:
    found = set()
    for cell in rows:
        for node in _nodes(cell, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        for node in _nodes(cell, ast.ImportFrom):
            found.add((node.module or ".").partition(".")[0])
    for name in sorted(found - KNOWN - sys.stdlib_module_names):
        yield f"it imports {name}, which does not come with the package"
    if not found & {"gpubfs", "simulator"}:
        yield "it imports nothing of the package"


def _nodes(cell: Cell, kind: type[Any]) -> list[Any]:
    """The nodes of a kind in a code cell, whose magic lines are left out."""
    if not cell.code:
        return []
    text = re.sub(r"^\s*[%!].*$", "", cell.source, flags=re.MULTILINE)
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, kind)]


def execute(path: Path, folder: Path, content: Any = None, errors: bool = False) -> Any:
    """A lesson's notebook, run from top to bottom in a copy of its folder, as Jupyter would.

    `content` takes its place; `errors` go on to the next cell. No GPU is to be seen. Gives the
    notebook as it is then; what takes longer than MOST seconds is a failed test.
    """
    nbclient = pytest.importorskip("nbclient", reason='nbclient: pip install ".[notebooks]"')
    nbformat = pytest.importorskip("nbformat", reason='nbformat: pip install ".[notebooks]"')
    pytest.importorskip("ipykernel", reason='ipykernel: pip install ".[notebooks]"')
    own = folder / path.parent.name
    shutil.copytree(path.parent, own)
    before = _files(own)
    made = nbformat.reads(
        json.dumps(read_notebook(path) if content is None else content), as_version=4
    )
    nbformat.validate(made)
    where = {"metadata": {"path": str(own)}}
    client = nbclient.NotebookClient(made, timeout=MOST, resources=where, allow_errors=errors)
    started = time.monotonic()
    client.execute(env=_environment())
    took = time.monotonic() - started
    assert took < MOST, f"{path.name} took {took:.0f} s"
    assert _files(own) == before, "it leaves files behind"
    return made


def _environment() -> dict[str, str]:
    places = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    own = {"PYTHONPATH": os.pathsep.join(filter(None, places)), "CUDA_VISIBLE_DEVICES": ""}
    return os.environ | own | {"PYTHONDONTWRITEBYTECODE": "1"}


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


def failed(notebook: Any) -> list[str]:
    """The ids of the cells that ended with an error."""
    rows = (cell for cell in notebook.cells if cell.cell_type == "code")
    return [
        cell.id for cell in rows if any(output.output_type == "error" for output in cell.outputs)
    ]


def points(cell: Any) -> float:
    """What nbgrader gives for a graded cell that was run: 0 for an error, or the result."""
    for output in cell.outputs:
        if output.output_type == "error" or output.get("name") == "stderr":
            return 0.0
        if output.output_type == "execute_result":
            return float(output.data["text/plain"])
    return 1.0
