"""What the panes of a terminal show of a step, read like the frame of the step."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np

from gpubfs.show.traces import LaunchTrace
from gpubfs.show.traces.frames.accessed import Strip
from gpubfs.show.traces.frames.arrays import _named
from gpubfs.show.traces.frames.lanes import _label
from gpubfs.show.traces.terminal.panes.moment import Content, Moment, Subject
from gpubfs.show.traces.terminal.panes.table import KINDS
from tests.gpubfs.show.traces.seen import WIDTH, Frame

#: Columns and lines of a pane that is shown alone.
ROOM = 100, 60
#: The panes that are read besides the source.
READ = ("warp", "requests", "memory", "graph")
#: Columns of a pane whose gutter has no figures, and how wide that gutter is.
NARROW, GUTTER = 49, 8


def texts(content: Content) -> list[str]:
    """The lines of a pane as plain text."""
    return [line.plain.rstrip() for line in content.lines]


@cache
def subject_of(search) -> Subject:
    """A trace, made ready once."""
    return Subject(search())


def steps_of(trace, count: int) -> list[int]:
    return np.linspace(0, len(trace) - 1, count).astype(int).tolist()


def moment(subject: Subject, at: int, warp: int | None = None, lane: int = 0) -> Moment:
    """A step of a trace, as a certain warp sees it or the first that takes part."""
    traced = subject.traced
    traced.follow(warp)
    scene = traced.scene(at)
    traced.follow(None)
    return Moment(subject, scene, lane)


@dataclass(frozen=True)
class PaneFrame(Frame):
    """One step as panes show it, with what `Frame` reads in a frame of text."""

    panes: dict[str, list[str]]
    title: str

    def row(self, name: str) -> str:
        for at, full in enumerate(self._names):
            if name in (full, _label(full, WIDTH).strip()):
                return " ".join(self._values[at].split())
        return self._array(name)

    @property
    def _grid(self) -> list[str]:
        """The lines of the grid of lanes, what is computed above it if that is long."""
        lines = self.panes["warp"]
        end = next(at for at, line in enumerate(lines) if re.match(r"lane \d+: ", line))
        return [line for line in lines[:end] if line[:1] not in ("□", "▲")]

    @property
    def _names(self) -> list[str]:
        first = next(at for at, line in enumerate(self._grid) if line.startswith("lane"))
        above = " ".join(line.strip() for line in self._grid[:first])
        if above:
            return above.removeprefix("computes ").split(" · ")
        return [line[: self._label].strip() for line in self._grid[first + 2 :]]

    @property
    def _label(self) -> int:
        """Cells of the names at the left of the grid."""
        line = next(line for line in self._grid if line.startswith("lane"))
        return line.index("0")

    @property
    def _values(self) -> list[str]:
        first = next(at for at, line in enumerate(self._grid) if line.startswith("lane"))
        return [line[self._label :] for line in self._grid[first + 2 :]]

    def _array(self, name: str) -> str:
        """The elements of an array, and how full it is."""
        found, lines = [], self.panes["memory"]
        for line in lines:
            own = re.match(r"(\S+)\s", line)
            if own and name in (own[1], _named(_only_named(own[1]))):
                found.append(line[own.end() :])
            elif found and re.match(r" +\[\d+\] ", line):
                found.append(line)
            elif found and not line.lstrip().startswith("↑"):
                break
        assert found, f"no array {name} in\n" + "\n".join(lines)
        cells = [
            re.sub(r"^ *\[\d+\]", "", line).replace("┊", "").replace("│ empty", "│")
            for line in found
        ]
        ends = re.match(r"(.*?) +((?:[\d,]+ of )?[\d,]+)$", cells[0])
        assert ends, cells[0]
        return " ".join([ends[1], *cells[1:], ends[2]]).split("\n")[0].strip().replace("  ", " ")

    def single(self, name: str) -> str:
        whole = "  ".join(self.panes["memory"])
        found = re.search(rf"(?:^|  ){name}([ *›+])(\S+)", whole)
        assert found, whole
        return found[1].strip() + found[2]

    @property
    def lanes(self) -> str:
        lines = self._grid
        rows = [at for at, line in enumerate(lines) if line.startswith("lane")]
        return "".join(lines[at + 1] for at in rows).replace(" ", "")

    @property
    def warp(self) -> str:
        return self.title

    @property
    def warps(self) -> str:
        line = next(line for line in self.panes["warp"] if line.startswith("warps "))
        return line.split()[1]

    @property
    def asked(self) -> list[str]:
        return [f"{kind} {array}" for kind, array, _ in self._asked]

    @property
    def requests(self) -> list[str]:
        return [figures for _, _, figures in self._asked]

    @property
    def _asked(self) -> list[tuple[str, str, str]]:
        lines = "\n".join(self.panes["requests"])
        return re.findall(r"^(load|store|atomic) (\S.*?)  (\S.*)$", lines, re.MULTILINE)

    @property
    def elements(self) -> str:
        line = next(line for line in self.panes["requests"] if line.startswith("lane→element"))
        return " ".join(line.removeprefix("lane→element").split())

    @property
    def served(self) -> list[str]:
        return [line for line in self.panes["requests"] if " ← " in line]

    @property
    def edges(self) -> list[str]:
        line = next(line for line in self.panes["graph"] if line.startswith("looked along:"))
        return line.removeprefix("looked along:").split()

    def level(self, number: int) -> str:
        found = re.search(rf"^[▶ ] level {number} +(.*)$", "\n".join(self.panes["graph"]), re.M)
        assert found, self.panes["graph"]
        return found[1]


def _only_named(name: str) -> Strip:
    return Strip(name, None, None, 0)  # type: ignore[arg-type]


class PaneReader:
    """Panes of traces, each pane as it is when it is shown alone."""

    def __init__(self) -> None:
        self._subjects: dict[int, Subject] = {}

    def frame(self, trace: LaunchTrace, at: int, warp: int | None = None) -> PaneFrame:
        subject = self._subjects.setdefault(id(trace), Subject(trace))
        now = moment(subject, at, warp)
        # Now, since the trace goes on to other steps.
        drawn = {name: KINDS[name].draw(now, *ROOM) for name in READ}
        panes = {name: texts(content) for name, content in drawn.items()}
        code = KINDS["source"].draw(now, NARROW, ROOM[1])
        here = texts(code)[code.focus.start : code.focus.stop]
        number = here[0][1:5].strip()
        text = " ".join(line[GUTTER:].strip() for line in here)
        found = PaneFrame(at, (), panes, drawn["warp"].note)
        lines = [f"── {code.note} ──", f"▶ {number} {text}", f"── {found.title} ─"]
        lines += [f"{name} " for name in found._names]
        lines += [f"{re.split(' +', line)[0]} " for line in panes["memory"] if line[:1].strip()]
        lines += [f"── {a} ─ {f}" for a, f in zip(found.asked, found.requests, strict=True)]
        return PaneFrame(at, tuple(lines), panes, found.title)
