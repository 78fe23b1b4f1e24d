"""Values, names and code that Python callers give: each of its kind, or one error that names it.

NumPy's integers and truth values count as Python's own; truth values are no numbers.
"""

from __future__ import annotations

import inspect
import numbers
import re
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from gpubfs.errors import UsageError

#: What makes the error, of a message and a remedy.
Error = Callable[[str, str], Exception]

Kind = TypeVar("Kind")

#: What is no mistake of the code that runs: Ctrl-C, a reader that has gone, too little memory.
UNBLAMED: tuple[type[BaseException], ...] = (
    KeyboardInterrupt,
    GeneratorExit,
    BrokenPipeError,
    MemoryError,
)

#: Packages whose errors say by themselves what is wrong, and the folder of this one.
_OURS, _FOLDER = ("gpubfs", "simulator"), Path(__file__).parent


def whole(
    value: Any, what: str, least: int, most: int | None = None, error: Error = UsageError
) -> int:
    """Return a whole number from `least` to `most`.

    Examples
    --------
    >>> whole("3", "repeats", 1)
    Traceback (most recent call last):
        ...
    gpubfs.errors.UsageError: error: repeats='3' is not a whole number
      give a whole number from 1
    """
    bounds = f"from {least}" if most is None else f"from {least} to {most}"
    hint = f"give a whole number {bounds}"
    if not is_whole(value):
        raise error(f"{what}={shown(value)} is not a whole number", hint)
    number = int(value)
    if number < least or (most is not None and number > most):
        raise error(f"{what}={number} is out of range", hint)
    return number


def truth(value: Any, what: str, error: Error = UsageError) -> bool:
    """Return true or false, NumPy's included."""
    if not is_truth(value):
        raise error(f"{what}={shown(value)} is no truth value", "give True or False")
    return bool(value)


def text(value: Any, what: str, hint: str, error: Error = UsageError) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise error(f"{what}={shown(value)} is no text", hint)
    return value


def texts(value: Any, what: str, hint: str, error: Error = UsageError) -> tuple[str, ...]:
    """Strings, or one alone.

    >>> texts("sim", "machines", ""), texts(["sim", "gpu"], "machines", "")
    (('sim',), ('sim', 'gpu'))
    """
    given = (value,) if isinstance(value, str) else several(value, what, hint, error)
    return tuple(text(one, what, hint, error) for one in given)


def several(
    value: Any, what: str, hint: str, error: Error = UsageError, most: int | None = None
) -> tuple[Any, ...]:
    """Return what an iterable holds, or the first `most`; text is not taken apart."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        try:
            elements = iter(value)
        except TypeError:  # an array without dimensions cannot be gone through after all
            pass
        else:
            return tuple(islice(elements, most))
    raise error(f"{what}={shown(value)} is no list", hint)


def function(value: Any, what: str, error: Error = UsageError) -> Any:
    """Something that can be called."""
    if not callable(value):
        raise error(f"{what}={shown(value)} cannot be called", "give a function")
    return value


def shown(value: Any) -> str:
    """Show a value as messages do: in one line, and not too long.

    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"
    """
    line = " ".join(repr(value).split())
    return line if len(line) <= 40 else line[:39] + "…"


def is_whole(value: Any) -> bool:
    """Whether something is a whole number and no truth value.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return isinstance(value, numbers.Integral) and not is_truth(value)


def is_kind(value: Any, kind: type) -> bool:
    """Whether something is of a kind, which its caller may have promised in vain."""
    return isinstance(value, kind)


def is_truth(value: Any) -> bool:
    """Whether something is true or false, NumPy's included."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def is_name(value: Any) -> bool:
    """Whether something is a name as commands take it.

    >>> is_name("scan-free"), is_name("scan_free")
    (True, False)
    """
    return isinstance(value, str) and bool(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", value))


def defined_at(code: Any) -> str:
    """Return the file and line at which a function or class is defined."""
    try:
        return f"{inspect.getsourcefile(code)}:{inspect.getsourcelines(code)[1]}"
    except (OSError, TypeError):  # no file is known, or it is not there any more
        return str(getattr(code, "__module__", "an unknown module"))


def file_of(code: Any) -> str:
    """Return the file that defines a function, a class or an object; "" if that is not known."""
    code = inspect.unwrap(getattr(code, "func", code))
    if not inspect.isroutine(code) and not inspect.isclass(code):
        code = type(code)
    try:
        return inspect.getfile(code)
    except (OSError, TypeError):  # it is built in, or was made by exec
        return ""


def is_outside(code: Any) -> bool:
    """Whether code is an extension's, and not of this package.

    >>> is_outside(whole), is_outside(len)
    (False, True)
    """
    return not Path(file_of(code)).is_relative_to(_FOLDER)


@contextmanager
def running(what: str, code: Any, unblamed: tuple[type[BaseException], ...] = ()) -> Iterator[None]:
    """Turn whatever goes wrong in an extension's code into one error that says where.

    Code of this package keeps its errors. The two packages' own, which have a remedy, get the place
    behind their message.

    Parameters
    ----------
    what : str
        What it is, such as "the graph family wheel".
    code : callable
        The function or class that the extension defines.
    unblamed : tuple of types
        Further errors that are not its mistake.

    Raises
    ------
    UsageError
        With the deepest line of the extension's file, or else where `code` is defined. An error
        that the extension raises itself, or that names another place, is left as it is.

    Examples
    --------
    >>> with running("the number", len):
    ...     len()
    Traceback (most recent call last):
        ...
    gpubfs....UsageError: error: builtins: TypeError: len() takes ... (in the number)
      mend its parameters
    """
    try:
        yield
    except BaseException as error:
        if isinstance(error, UNBLAMED + unblamed) or not is_outside(code):
            raise
        if type(error).__module__.partition(".")[0] not in _OURS:
            raise _failed(what, code, error) from error
        _add_place(what, code, error)
        raise


def _failed(what: str, code: Any, error: BaseException) -> UsageError:
    lines = _lines(code, error)
    message = f"{_place(code, error)}: {described(error)} (in {what})"
    if isinstance(error, SystemExit):
        return UsageError(message, "return, or raise an error, instead of an exit")
    called = isinstance(error, TypeError) and not any(lines)
    return UsageError(message, "mend its parameters" if called else "mend the file")


def _add_place(what: str, code: Any, error: Any) -> None:
    """Say in an error of these packages which line of an extension asked for what is wrong."""
    message, file = getattr(error, "message", None), file_of(code)
    elsewhere = getattr(error, "path", None) or getattr(error, "span", None)
    own = _lines(code, error)[-1]
    if isinstance(message, str) and not (elsewhere or own or (file and file in message)):
        error.message = f"{message} (in {what}, {_place(code, error)})"


def _place(code: Any, error: BaseException) -> str:
    """Return the deepest line of an extension's file that an error went through."""
    lines = [*filter(None, _lines(code, error))]
    return f"{file_of(code)}:{lines[-1]}" if lines else defined_at(code)


def _lines(code: Any, error: BaseException) -> list[int]:
    """Return for each frame of an error its line in an extension's file, 0 in another one."""
    file, frames = file_of(code), traceback.walk_tb(error.__traceback__)
    return [line * (frame.f_code.co_filename == file) for frame, line in frames]


def described(error: BaseException) -> str:
    """Return what kind an error is, and what it says, in one line.

    >>> described(KeyError("size")), described(SystemExit())
    ("KeyError: 'size'", 'SystemExit')
    """
    words = said(error)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def said(error: BaseException) -> str:
    """Return what an exception says, in one line; nothing if even that fails."""
    try:
        return " ".join(str(error).split())
    except Exception:
        return ""


def refuse_bare(given: Any, decorator: str, example: str) -> None:
    """Refuse a decorator without parentheses, which would get the function for its first argument.

    Parameters
    ----------
    given : object
        Its first argument.
    decorator, example : str
        Its name, and how to write it.

    Raises
    ------
    UsageError
        If that can be called.
    """
    if callable(given):
        raise UsageError(f"@{decorator} is used without parentheses", f"write @{example}")


class Register(dict[str, Kind], Generic[Kind]):
    """Things of one kind by name, to which modules and plugins add.

    `Register.every` has all registers.

    Parameters
    ----------
    noun : str
        What one of them is called in messages.
    """

    every: ClassVar[list[Register[Any]]] = []

    def __init__(self, noun: str) -> None:
        super().__init__()
        self.every.append(self)
        self.noun = noun
        self._one = f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
        self._code: dict[str, Any] = {}

    def add(self, name: str, thing: Kind, code: Any) -> None:
        """Add a thing that the function or class `code` defines.

        Raises
        ------
        UsageError
            If the name is none, or taken.
        """
        if not is_name(name):
            hint = "give lower-case words with hyphens between them, such as my-own"
            raise UsageError(f"{shown(name)} cannot be the name of {self._one}", hint)
        if name in self:
            where = defined_at(self._code[name])
            raise UsageError(f'there is {self._one} "{name}" already, in {where}', "rename it")
        self[name] = thing
        self._code[name] = code

    def code(self, name: str) -> Any:
        """Return the function or class that defines one of them."""
        return self._code[name]


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Take back what has been added to registers, if an error ends the context."""
    before = [(register, dict(register)) for register in Register.every]
    try:
        yield
    except BaseException:
        for register, held in before:
            register.clear()
            register.update(held)
        raise
