"""What all that can be stepped through has in common: where it begins, levels, files, notebooks."""

from __future__ import annotations

import html
from bisect import bisect_left
from pathlib import Path

from gpubfs.show.traces.files.export import export
from gpubfs.show.traces.files.film import FPS, Film
from gpubfs.show.traces.files.page import notebook
from gpubfs.show.traces.steppable import Steppable

#: The most steps that a notebook shows: making a page of them takes some seconds.
MOST_IN_NOTEBOOK = 10_000


#: How the names of files end that other files include.
HEADERS = (".cuh", ".h", ".hh", ".hpp")


def is_header(name: str) -> bool:
    """Whether a file is one that others include.

    >>> is_header("csr.cuh"), is_header("scan_free.cu"), is_header("<kernel>")
    (True, False, False)
    """
    return name.lower().endswith(HEADERS)


class Showing:
    """What all that can be stepped through has in common."""

    @property
    def begin(self: Steppable) -> int:
        """The step that is shown first: in the kernel's own file, and not in a header."""
        traced, _ = self.tracks[0]
        steps = (step for launch in traced.launches for step in launch.steps)
        own = (at for at, step in enumerate(steps) if not is_header(step.focus.source.name))
        return next(own, 0)

    @property
    def beginning(self) -> str:
        """Why it begins there, in words; empty where that needs none."""
        return ""

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
