"""What all that can be stepped through has in common: where it begins, levels, files, notebooks."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING

from gpubfs.show.traces.files.export import export
from gpubfs.show.traces.files.film import FPS, Film
from gpubfs.show.traces.files.page import notebook
from gpubfs.show.traces.steppable import Steppable, Traced

if TYPE_CHECKING:
    from simulator.source import Source

#: The most steps that a notebook shows: making a page of them takes some seconds.
MOST_IN_NOTEBOOK = 10_000


def defines(source: Source, kernel: str) -> bool:
    """Whether a kernel is defined in a source.

    >>> from simulator.source import Source
    >>> text = Source("__global__ void twice(int *a) { a[0] *= 2; }")
    >>> defines(text, "twice"), defines(text, "thrice")
    (True, False)
    """
    name = re.escape(kernel.partition("<")[0])
    return re.search(rf"__global__[^;{{}}]*\b{name}\s*\(", source.text) is not None


def own_begin(traced: Traced) -> int:
    """Return the first step in the file of the technique's own kernels.

    If that has none, the first in a file that is no header, or else in any, and defines the kernel
    that runs; 0 if there is none.
    """
    ranks: dict[tuple[str, str], int] = {}
    first: dict[int, int] = {}
    steps = ((launch.kernel, step) for launch in traced.launches for step in launch.steps)
    for at, (kernel, step) in enumerate(steps):
        source = step.focus.source
        key = source.name, kernel
        if key not in ranks:
            ranks[key] = _rank(source, kernel, traced.kernel_file)
        first.setdefault(ranks[key], at)
        if OWN in first:
            break
    return first[min(first)] if min(first) < OTHER else 0


#: How much a source is the technique's own: its file, another one or a header that defines the
#: kernel that runs, and others.
OWN, KERNEL, HEADER, OTHER = range(4)
#: How the names of headers end.
HEADERS = (".cuh", ".h", ".hh", ".hpp")


def _rank(source: Source, kernel: str, own: str) -> int:
    if not defines(source, kernel):
        return OTHER
    if Path(source.name).suffix.lower() in HEADERS:
        return HEADER
    return OWN if Path(source.name).stem == own else KERNEL


class Showing:
    """What all that can be stepped through has in common."""

    @property
    def begin(self: Steppable) -> int:
        """The step that is shown first: in the kernel itself, and not in a header before it."""
        return min(own_begin(traced) for traced, _ in self.tracks)

    @property
    def beginning(self: Steppable) -> str:
        """Why it begins there, in words; empty where that needs none."""
        traced, steps = self.tracks[0]
        file = Path(traced.scene(steps[self.begin]).focus.source.name).name
        return f"this is the first step of {file}" if self.begin else ""

    @property
    def first_printed(self: Steppable) -> int:
        """The step with which printing begins: the first of all."""
        return 0

    def differences(self) -> dict[str, int | None]:
        """Return in which respects two traces differ, and where first; nothing for one trace."""
        return {}

    def next_level(self: Steppable, at: int) -> int:
        """Return the first step of the next level; the last step where there is none."""
        return min(bisect_left(self.levels, self.levels[at] + 1), len(self) - 1)

    def previous_level(self: Steppable, at: int) -> int:
        """Return the first step of this level, or of the level before if `at` is it."""
        begin = bisect_left(self.levels, self.levels[at])
        return begin if begin < at or not at else bisect_left(self.levels, self.levels[at - 1])

    def write(
        self: Steppable,
        path: str | Path,
        at: int | None = None,
        width: int | None = None,
        height: int | None = None,
        *,
        steps: range | None = None,
        fps: float = FPS,
    ) -> None:
        """Write a page of all steps, the picture of one, all as text, or a film.

        Parameters
        ----------
        path : str or Path
            The file, which is replaced if it is there: .html, .svg and .txt, and for films .gif,
            .mp4, .webm and .cast.
        at : int, optional
            The step of a picture, and the one that a page begins with; by default `begin`.
        width, height : int, optional
            Characters of a line and lines of a frame in pictures and texts, 100 and 40 unless
            given; of films 116 and 32. A page fits its window.
        steps : range, optional
            The steps of a film, from 0; all unless given.
        fps : float
            The frames of a film a second.

        Raises
        ------
        UsageError
            If the name ends otherwise, the file cannot be written, or there is no step `at`.
        """
        first = self.begin if at is None else at
        export(self, Path(path), first, width, height, Film(steps, fps))

    def _repr_html_(self: Steppable) -> str:
        if len(self) > MOST_IN_NOTEBOOK:
            message = (
                f"{self.title} has {len(self):,} steps, too many for a notebook. Take some levels, "
                "as in run.trace(levels=range(2, 3)), or a file: run.trace().write('trace.html')."
            )
            return f"<p>{html.escape(message)}</p>"
        return notebook(self)
