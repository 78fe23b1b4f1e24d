"""Whether what describes a technique is whole: each field of its kind, and a driver that fits."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gpubfs.arguments import is_whole, shown
from gpubfs.errors import UsageError
from gpubfs.option import Option

if TYPE_CHECKING:
    from gpubfs.technique import Technique

MACHINES = ("sim", "gpu")


def is_words(value: Any) -> bool:
    """Whether something is text that is not empty."""
    return isinstance(value, str) and bool(value.strip())


def is_name(value: Any) -> bool:
    """Whether something is a name as commands take it."""
    return isinstance(value, str) and bool(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", value))


def is_glossary(value: Any) -> bool:
    """Whether something gives names their meanings."""
    if not isinstance(value, Mapping):
        return False
    return all(isinstance(word, str) for pair in value.items() for word in pair)


def _holds(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and all(isinstance(one, kind) for one in value)


def _is_machines(value: Any) -> bool:
    return _holds(str)(value) and bool(value) and set(value) <= set(MACHINES)


#: What each field must be, and what to give.
FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": (is_name, "give lower-case words with hyphens between them, such as 'scan-free'"),
    "family": (is_words, "give what it is a technique for, such as 'frontier generation'"),
    "kernel": (is_words, "give the name of a file in gpubfs/kernels, such as 'scan_free.cu'"),
    "paper": (is_words, "give the paper that it comes from"),
    "section": (is_words, "give the paper's section"),
    "year": (is_whole, "give the paper's year as a number"),
    "arrays": (is_glossary, "give the meaning of each array: {'level': '…'}"),
    "memory": (is_words, "give its device memory beyond the graph, as a formula"),
    "options": (_holds(Option), "give a tuple of options: (Option(…),)"),
    "machines": (_is_machines, "give ('sim', 'gpu') or one of them: ('sim',)"),
    "benign": (is_glossary, "give the reason for each array: {'level': '…'}"),
    "shared": (is_glossary, "give the meaning of each shared array: {'tile': '…'}"),
    "cooperative": (
        lambda value: isinstance(value, bool) or callable(value),
        "give True, False, or a function of the options' values",
    ),
    "directed": (lambda value: isinstance(value, bool), "give True or False"),
    "parts": (lambda value: isinstance(value, Mapping), "give {'queue': Parts(…)}"),
}


def check_description(technique: Technique) -> None:
    """Raise UsageError for the first field that is not of its kind, or a driver that does not fit.

    Parameters
    ----------
    technique : Technique
        As its module describes it.
    """
    for field, (holds, hint) in FIELDS.items():
        value: Any = getattr(technique, field)
        if not holds(value):
            raise UsageError(f"the field {field} is {shown(value)}", hint)
    drive: Any = technique.drive
    if not inspect.isfunction(drive):
        hint = "decorate a function drive(host, graph, source, **options)"
        raise UsageError(f"the driver is no function but {shown(drive)}", hint)
    if not technique.idea:
        hint = "begin the file with a docstring; its first paragraph is the idea"
        raise UsageError("the module has no docstring", hint)
    _check_parameters(drive, technique.options)


def _check_parameters(drive: Callable[..., Any], options: tuple[Option, ...]) -> None:
    """A driver takes the host, the graph, the source, and each option by its name."""
    given = {option.name: option.default for option in options}
    try:
        inspect.signature(drive).bind(None, None, 0, **given)
    except TypeError as error:
        words = ", ".join(["host", "graph", "source", *(f"{name}=…" for name in given)])
        raise UsageError(
            f"the driver {drive.__name__} does not go with the field options: {error}",
            f"it is called as {drive.__name__}({words})",
        ) from None
