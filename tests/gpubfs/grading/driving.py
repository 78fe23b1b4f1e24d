"""Drivers that are handed in, as tests write them: bodies of `search`, and how they are checked."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from gpubfs.grading.exercise import Case, Exercise
from gpubfs.grading.kinds.drive import DriveKind
from gpubfs.grading.outcome import Failure

#: A loop over levels that is right. `{turn}` stands where a turn begins.
LOOP = """
level = host.levels(graph.vertices, source)
frontier = host.queue("frontier", graph.vertices, source)
following = host.queue("next", graph.vertices)
following_size = host.full("next_size", 1, 0)
size, depth = 1, 0
while size:
    host.level(depth, size)
    host.write(following_size, 0)
    depth += 1
    queues = (frontier, size, following, following_size)
    args = (graph.offsets, graph.neighbours, level, *queues, depth)
    host.launch("scan_free", host.blocks(size, options["block"]), options["block"], args)
    size = host.read_int(following_size)
    frontier, following = host.swap(frontier, following)
return level
"""


def of(body: str, above: str = "") -> str:
    """A driver's file with this body of `search`."""
    inside = textwrap.indent(textwrap.dedent(body), "    ")
    return f"{above}\ndef search(host, graph, source, **options):\n{inside}\n"


def exercise(folder: Path, technique: str = "scan-free", **others: Any) -> Exercise:
    search = {"technique": technique}
    given = {"search": search, "seconds": 20.0} | others
    return Exercise(folder, "Drive", "drive", (), ("A hint.",), suffix=".py", **given)


def checked(
    text: str, folder: Path, *, technique: str = "scan-free", limits: Any = None, **others: Any
) -> Failure | None:
    """What is lost on one small graph, in one order."""
    seconds = {"seconds": others.pop("seconds")} if "seconds" in others else {}
    file = folder / "submission.py"
    file.write_text(text, encoding="utf-8")
    given = {"graph": "path:6", "source": 0} | others
    case = Case("a case", 1, given, schedules=("lockstep",), limits=limits or {})
    return DriveKind(exercise(folder, technique, **seconds), file).grade_case(case, 1)
