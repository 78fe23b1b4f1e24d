"""What all traces have in common: levels, the way into a notebook, and files."""

from __future__ import annotations

import html
from bisect import bisect_left
from pathlib import Path

from gpubfs.show.traces.files.export import export
from gpubfs.show.traces.files.page import notebook
from gpubfs.show.traces.steppable import Steppable

#: The most steps that a notebook keeps: a page of them has some megabytes.
MOST_IN_NOTEBOOK = 4000


class Showing:
    """What all that can be stepped through has in common."""

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
        at: int = 0,
        width: int | None = None,
        height: int | None = None,
    ) -> None:
        """Write a page with a slider (.html), the picture of a step (.svg) or all as text (.txt).

        Parameters
        ----------
        path : str or Path
            The file, which is replaced if it is there.
        at : int
            The step of a picture.
        width, height : int, optional
            Characters of a line and lines of a frame, 100 and 40 unless given.

        Raises
        ------
        UsageError
            If the name ends otherwise, the file cannot be written, or there is no step `at`.
        """
        export(self, Path(path), at, width, height)

    def _repr_html_(self: Steppable) -> str:
        if len(self) > MOST_IN_NOTEBOOK:
            message = (
                f"{self.title} has {len(self):,} steps, too many for a notebook. Take some levels, "
                "as in run.trace(levels=range(2, 3)), or a file: run.trace().write('trace.html')."
            )
            return f"<p>{html.escape(message)}</p>"
        return notebook(self)
