"""The generated Python text.

Lines that may be dropped or completed later, and where each came from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

from simulator.ir.events import Site
from simulator.source import Span


def python_name(text: str) -> str:
    """`text` with all that cannot stand in a name made underscores."""
    return re.sub(r"\W", "_", text, flags=re.ASCII)


@dataclass(eq=False)
class Register:
    """A C variable as an array with one element a lane; `gathered` once some code reads that array.

    `table` marks read-only arrays that the launch provides; `label` is the variable's name in C.
    """

    name: str
    code: str
    gathered: bool = False
    table: bool = False
    label: str = ""


@dataclass(frozen=True)
class Origin:
    """What a line of generated code does: for faults.

    `index` and `lanes` name Python variables; `calls` are those that led to it, as in `Site`.
    """

    span: Span
    lanes: str
    site: Site | None = None
    index: str = ""
    calls: tuple[Span, ...] = ()


@dataclass
class Line:
    """One line, or some that are known at the end only; what it does, and what it only stores."""

    indent: int
    text: str | Callable[[], list[str]]
    origin: Origin | None
    register: Register | None


@dataclass
class Writer:
    """Collects lines, then joins those that are needed; `numbers` make names unlike all others."""

    lines: list[Line] = field(default_factory=list)
    indent: int = 1
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def fresh(self, hint: str) -> str:
        """A Python name that nothing else uses: no helper's name ends in `_` and a number."""
        return f"{python_name(hint)}_{next(self.numbers)}"

    @contextmanager
    def indented(self) -> Iterator[None]:
        """What is written meanwhile stands one level deeper."""
        self.indent += 1
        yield
        self.indent -= 1

    def put(
        self,
        text: str | Callable[[], list[str]],
        origin: Origin | None = None,
        register: Register | None = None,
    ) -> None:
        """Add a line; one that only stores `register` is dropped unless something gathers it."""
        self.lines.append(Line(self.indent, text, origin, register))

    def finish(self, head: str) -> tuple[str, dict[int, Origin]]:
        """The whole text under its `head` line, and the origin of each line by number."""
        out, origins = [head], {}
        for line in self.lines:
            if line.register is not None and not line.register.gathered:
                continue
            for text in [line.text] if isinstance(line.text, str) else line.text():
                full = "    " * line.indent + text
                if out[-1].endswith(":") and _depth(full) <= _depth(out[-1]):
                    out.append(" " * _depth(out[-1]) + "    pass")
                out.append(full)
                if line.origin is not None:
                    origins[len(out)] = line.origin
        return "\n".join(out) + "\n", origins


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
