"""Kernel files for reading: with line numbers, whole or one function of them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType

from gpubfs.errors import unknown

#: What holds no code: comments, strings and characters, and lines of the preprocessor.
_NO_CODE = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
      | ^[ \t]*\#(?:[^\n\\]|\\.)*""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_COMMENT = re.compile(r"^\s*//")
_CALLED = re.compile(r"(\w+)\s*\(")

#: What a page marks: comments, and the words that make a function one of the GPU's.
_MARKED = re.compile(r"(//[^\n]*|/\*.*?\*/)|(\b__(?:global|device|shared|restrict)__)")
_PRE = "line-height:1.3;overflow-x:auto;white-space:pre"
_NUMBER = '<span style="opacity:.5;user-select:none">{:>4}  </span>'


@dataclass(frozen=True)
class Listing:
    r"""Lines of a kernel file; they show themselves in a notebook and on a terminal.

    Attributes
    ----------
    name : str
        What the file is called.
    text : str
        The lines.
    first : int
        The number of the first one.

    Examples
    --------
    >>> print(Listing("a.cu", "int i;\nint j;\n", 9))
       9  int i;
      10  int j;
    """

    name: str
    text: str
    first: int = 1

    def __str__(self) -> str:
        return "\n".join(f"{number:>4}  {line}".rstrip() for number, line in self._lines())

    def __repr__(self) -> str:
        numbers = f"{self.first} to {self.first + len(self.text.splitlines()) - 1}"
        return f"<{self.name}, lines {numbers}; they show in Jupyter and by print>"

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        yield Text(self.name, style="bold")
        for number, line in self._lines():
            yield Text.assemble((f"{number:>4}  ", "dim"), line)

    def _repr_html_(self) -> str:
        rows = "\n".join(_NUMBER.format(number) + _marked(line) for number, line in self._lines())
        style = f"font-family:monospace;text-align:left;{_PRE}"
        return f'<b>{html.escape(self.name)}</b><pre style="{style}">{rows}</pre>'

    def _lines(self) -> Iterator[tuple[int, str]]:
        yield from enumerate(self.text.splitlines(), self.first)

    def function(self, name: str) -> Listing:
        r"""Return one function of it, with the comment above.

        Raises
        ------
        UsageError
            If there is none of that name; the remedy lists those there are.

        Examples
        --------
        >>> whole = Listing("a.cu", "int one;\n\n// Does nothing.\nvoid f() {\n}\n")
        >>> print(whole.function("f"))
           3  // Does nothing.
           4  void f() {
           5  }
        """
        found = functions(self.text)
        if name not in found:
            raise unknown(f"function in {self.name} called", name, found)
        begin, end = found[name]
        lines = self.text.splitlines()[begin - 1 : end]
        return Listing(self.name, "\n".join(lines) + "\n", self.first + begin - 1)


def functions(text: str) -> dict[str, tuple[int, int]]:
    r"""Return the functions that a file defines: numbers of their first and last lines.

    The comment above a function is a part of it. Of several with one name the first is found.

    Examples
    --------
    >>> functions("struct S { int a; };\n__global__ void f(int a) {\n if (a) { }\n}\n")
    {'f': (2, 4)}
    """
    code = _NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    lines = text.splitlines()
    spans: dict[str, tuple[int, int]] = {}
    for head, begin, end in _bodies(code):
        names = _CALLED.findall(_outside(head))
        if names:
            start = begin + len(head) - len(head.lstrip())
            first = code.count("\n", 0, start)
            while first and _COMMENT.match(lines[first - 1]):
                first -= 1
            spans.setdefault(names[-1], (first + 1, code.count("\n", 0, end) + 1))
    return spans


def _bodies(code: str) -> Iterator[tuple[str, int, int]]:
    """Yield the text before each outermost pair of braces, its offset, and where they end."""
    depth = begin = opened = 0
    for offset, character in enumerate(code):
        if character == "{":
            opened = opened if depth else offset
            depth += 1
        elif character == "}":
            depth -= 1
            if not depth:
                yield code[begin:opened], begin, offset
        if not depth and character in ";}":
            begin = offset + 1


def _outside(head: str) -> str:
    """Return a function's head with nothing between its parentheses."""
    depth, kept = 0, ""
    for character in head:
        depth -= character == ")"
        kept += "" if depth else character
        depth += character == "("
    return kept


def _marked(line: str) -> str:
    """Return a line for a page: comments slanted, the words for the GPU's functions bold."""
    made, offset = "", 0
    for found in _MARKED.finditer(line):
        made += html.escape(line[offset : found.start()], quote=False)
        shown = html.escape(found[0], quote=False)
        made += f'<i style="opacity:.7">{shown}</i>' if found[1] else f"<b>{shown}</b>"
        offset = found.end()
    return made + html.escape(line[offset:], quote=False)
