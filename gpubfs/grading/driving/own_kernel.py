"""Kernels that stand in a driver's own file, as people write them for CuPy: CUDA C in a string.

The text is taken from the file by its syntax, and nothing of the file is run. What comes of it is
as long as the file and has the kernels where they are in it, so that a line and a column of the one
are those of the other.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from gpubfs.grading.exercise import UnreadableError

#: What the constant is called.
NAME = "KERNEL"
#: How it is written; shown in messages.
WRITTEN = f'{NAME} = r"""…""", at the beginning of a line, with CUDA C between the quotes'
NESTED = "the file is too large, or nested too deeply, to be read"
#: The characters of a line that are shown.
SHOWN_LINE = 100
_QUOTED = re.compile(r"""([A-Za-z]*)(\"\"\"|'''|"|')""")


def kernels_in(text: str, name: str) -> str:
    r'''Return the kernels of a driver's file, at their places, with blanks for all else.

    Parameters
    ----------
    text : str
        The file, its lines separated by newlines.
    name : str
        What messages call it.

    Raises
    ------
    UnreadableError
        If the file is no Python, or has no such constant, or more than one, or one that is not a
        single text without escapes: then lines of it would not be lines of the file.

    Examples
    --------
    >>> kernels_in('KERNEL = r"""\nint i;\n"""\nx = 1\n', "mine.py")
    '             \nint i;\n   \n     \n'
    >>> kernels_in("kernel = 1", "mine.py")
    Traceback (most recent call last):
        ...
    gpubfs.grading.exercise.UnreadableError: there is no constant KERNEL in the file
    '''
    begin, end = _place(text, _constant(text, name), name)
    return _blank(text[:begin]) + text[begin:end] + _blank(text[end:])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _constant(text: str, name: str) -> ast.expr:
    """Return the value of the only statement of the module that gives the constant a value."""
    found = list(_assigned(_parsed(text, name)))
    if not found:
        raise UnreadableError(f"there is no constant {NAME} in the file", f"write {WRITTEN}")
    if len(found) > 1:
        words = f"{NAME} is given a value {len(found)} times"
        raise UnreadableError(words, f"{_line(text, found[1][0], name)}\nwrite it once")
    line, value = found[0]
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        words = f"{NAME} is not a text, or one that is put together while the file runs"
        raise UnreadableError(words, f"{_line(text, line, name)}\nwrite {WRITTEN}")
    return value


def _parsed(text: str, name: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes that mean nothing
            return ast.parse(text)
    except SyntaxError as error:
        words = f"{type(error).__name__}: {error.msg}"
        raise UnreadableError(words, _line(text, error.lineno, name)) from None
    except ValueError as error:  # such as a character that no text has
        raise UnreadableError(f"the file is no Python: {error}") from None
    except (MemoryError, RecursionError):
        raise UnreadableError(NESTED) from None


def _assigned(module: ast.Module) -> Iterator[tuple[int, ast.expr | None]]:
    """Yield the line and the value of each statement of the module that sets the constant."""
    for statement in module.body:
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign):
            targets, value = [statement.target], statement.value
        elif isinstance(statement, ast.AugAssign):
            targets = [statement.target]
        if any(isinstance(target, ast.Name) and target.id == NAME for target in targets):
            yield statement.lineno, value


def _place(text: str, value: ast.expr, name: str) -> tuple[int, int]:
    """Return where the text between the quotes begins and ends."""
    assert isinstance(value, ast.Constant)
    assert value.end_lineno is not None
    assert value.end_col_offset is not None
    begin = _offset(text, value.lineno, value.col_offset)
    end = _offset(text, value.end_lineno, value.end_col_offset)
    quoted = _QUOTED.match(text, begin)
    if quoted is not None:
        inner = quoted.end(), end - len(quoted[2])
        if text[slice(*inner)] == value.value:
            return inner
    words = f"{NAME} has escapes, or is put together from several texts"
    raise UnreadableError(words, f"{_line(text, value.lineno, name)}\nwrite {WRITTEN}")


def _offset(text: str, line: int, column: int) -> int:
    """Return the place of a line and a column, which Python counts in bytes of UTF-8."""
    lines = text.split("\n")
    before = sum(len(one) + 1 for one in lines[: line - 1])
    return before + len(lines[line - 1].encode()[:column].decode())


def _line(text: str, line: int | None, name: str) -> str:
    """Return a line of the file, with its number."""
    lines = text.split("\n")
    if line is None or not 1 <= line <= len(lines):
        return ""
    words = lines[line - 1].strip()
    shown = words if len(words) <= SHOWN_LINE else f"{words[:SHOWN_LINE]}…"
    return f"{name}, line {line}:\n  {shown}"
