"""The one exception of this package: what is wrong with a graph, where, and what to do about it."""

from __future__ import annotations


class GraphError(ValueError):
    """A specification, a file or arrays that do not make a graph.

    Parameters
    ----------
    message : str
        One sentence naming what is wrong.
    path : str, optional
        The file at fault.
    line : int, optional
        The line at fault, counted from 1.
    hint : str, optional
        What to do instead.

    Examples
    --------
    >>> print(GraphError("vertex number -4 is negative", "web.txt", 12, "number them from 0"))
    web.txt:12: error: vertex number -4 is negative
      number them from 0
    """

    def __init__(
        self, message: str, path: str | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.hint = hint or ""  # of a reader that gives None

    def __str__(self) -> str:
        where = [] if self.path is None else [self.path]
        where += [] if self.line is None else [str(self.line)]
        head = f"{':'.join(where)}: error: " if where else "error: "
        return "\n".join([head + self.message, *(f"  {part}" for part in self.hint.splitlines())])
