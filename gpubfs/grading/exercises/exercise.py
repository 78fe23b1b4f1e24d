"""An exercise: its cases, and the files in its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What makes a folder an exercise, and what makes its problems.
FILE, PROBLEM = "exercise.toml", "problem.py"

#: What students do, and the ending of the file that they hand in.
KINDS = {"write": ".cu", "mend": ".cu", "limit": ".cu", "predict": ".toml", "drive": ".py"}

#: The orders in which a result must be right, unless a case names others.
SCHEDULES = ("lockstep", "warp", "round-robin:1", "shuffled:2", "random:3")

#: Seconds and MiB that a case may take, unless the exercise says otherwise.
SECONDS, MEMORY = 10.0, 1024


@dataclass(frozen=True)
class Case:
    """One thing that is looked at, and the points that it is worth.

    Attributes
    ----------
    name : str
        What feedback calls it.
    points : float
        All of them or none.
    given : mapping
        Parameters of the problem, or for searches the graph and the source.
    hidden : bool
        Whether it depends on a secret, and its data are not shown.
    schedules : tuple of str
        In which orders of warps it is run.
    sanitize : str
        The sanitizers that watch it, as in `gpubfs run --sanitize`.
    limits : mapping of str to float
        Counters and the most that they may be, in the first schedule.
    device : str
        The simulated GPU, where it is not the exercise's.
    """

    name: str
    points: float
    given: Mapping[str, Any] = field(default_factory=dict)
    hidden: bool = False
    schedules: tuple[str, ...] = SCHEDULES
    sanitize: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    device: str = ""


@dataclass(frozen=True)
class Exercise:
    """A folder with an exercise.

    Attributes
    ----------
    folder : Path
        Where it is.
    title : str
        What it is called.
    kind : str
        One of KINDS.
    cases : tuple of Case
        What is looked at.
    hints : tuple of str
        From a nudge to nearly the answer.
    search : mapping
        For exercises on a technique: its name as `technique`, and options.
    includes : tuple of str
        The package's headers that a kernel file may include.
    device : str
        The simulated GPU of cases that name none.
    seconds, memory : float
        What a case may take, in seconds and MiB.
    """

    folder: Path
    title: str
    kind: str
    cases: tuple[Case, ...]
    hints: tuple[str, ...]
    search: Mapping[str, Any] = field(default_factory=dict)
    includes: tuple[str, ...] = ()
    device: str = "h200"
    seconds: float = SECONDS
    memory: float = MEMORY

    @property
    def name(self) -> str:
        """The lesson's folder and its own, as ``02-memory/coalesce``."""
        return f"{self.folder.parent.parent.name}/{self.folder.name}"

    @property
    def suffix(self) -> str:
        """The ending of the file that is handed in."""
        return KINDS[self.kind]

    @property
    def starter(self) -> Path:
        """What students begin with, and edit."""
        return self.folder / f"starter{self.suffix}"

    @property
    def solution(self) -> Path:
        """What it is made from; students do not get it."""
        return self.folder / f"solution{self.suffix}"

    def device_of(self, case: Case) -> str:
        """The simulated GPU of a case."""
        return case.device or self.device

    @property
    def points(self) -> float:
        """The points of all cases."""
        return sum(case.points for case in self.cases)
