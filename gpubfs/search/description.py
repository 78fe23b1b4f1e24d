"""How a driver describes its technique, and whether that is whole: each field, and the driver."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from gpubfs.arguments import is_name, is_whole, refuse_bare, shown
from gpubfs.errors import UsageError, no_field
from gpubfs.kernels import KERNELS
from gpubfs.search.option import AUTO, TAKEN, Option, Value
from gpubfs.search.technique import BOTH, Driver, Parts, Technique

#: Lanes of the warps for which defaults must do.
LANES = 32


def is_words(value: Any) -> bool:
    """Whether something is text that is not empty."""
    return isinstance(value, str) and bool(value.strip())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_glossary(value: Any) -> bool:
    """Whether something gives names their meanings."""
    if not isinstance(value, Mapping):
        return False
    return all(isinstance(word, str) for pair in value.items() for word in pair)


def _holds(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and all(isinstance(one, kind) for one in value)


def _is_parts(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    return all(isinstance(k, str) and isinstance(v, Parts) for k, v in value.items())


def _is_machines(value: Any) -> bool:
    return _holds(str)(value) and bool(value) and set(value) <= set(BOTH)


#: What each field must be, and what to give.
FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": (is_name, "give lower-case words with hyphens between them, such as 'scan-free'"),
    "family": (is_words, "give what it is a technique for, such as 'frontier generation'"),
    "kernel": (
        is_words,
        "give the name of a file beside it, or in gpubfs/kernels, such as 'scan_free.cu'",
    ),
    "paper": (_is_text, "give the paper that it comes from"),
    "section": (_is_text, "give the paper's section"),
    "year": (lambda value: value is None or is_whole(value), "give the paper's year as a number"),
    "arrays": (is_glossary, "give the meaning of each array: {'level': '…'}"),
    "memory": (_is_text, "give its device memory beyond the graph, as a formula"),
    "options": (_holds(Option), "give a tuple of options: (Option(…),)"),
    "machines": (_is_machines, "give ('sim', 'gpu') or one of them: ('sim',)"),
    "benign": (is_glossary, "give the reason for each array: {'level': '…'}"),
    "shared": (is_glossary, "give the meaning of each shared array: {'tile': '…'}"),
    "cooperative": (
        lambda value: isinstance(value, bool) or callable(value),
        "give True, False, or a function of the options' values",
    ),
    "directed": (lambda value: isinstance(value, bool), "give True or False"),
    "parts": (_is_parts, "give {'queue': Parts(…)}"),
    "refused": (is_glossary, "give the reason for each option: {'supports': '…'}"),
}


def _is_variable(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value)


def _is_bound(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _is_choices(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, Value) for one in value)


def _is_other(value: Any) -> bool:
    if value is None:
        return True
    pair = isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)
    return pair and _is_choices(value[1]) and len(value[1]) > 0


#: What each field of an option must be, and what to give.
OPTION_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "default": (lambda value: isinstance(value, Value), "give a number, a word or a truth value"),
    "meaning": (is_words, "say what it changes"),
    "choices": (_is_choices, "give a tuple of values"),
    "minimum": (_is_bound, "give a number"),
    "maximum": (_is_bound, "give a number"),
    "choose": (lambda value: value is None or callable(value), "give a function"),
    "only_with": (_is_other, "give another option's name, and a tuple of values of it"),
    "define": (lambda value: value == "" or _is_variable(value), "give the name of a macro"),
}


class Fields(TypedDict, total=False):
    """What a driver may say of its technique besides the name, as `Technique` explains it."""

    family: str
    kernel: str
    paper: str
    section: str
    year: int | None
    arrays: Mapping[str, str]
    memory: str
    options: tuple[Option, ...]
    machines: tuple[str, ...]
    benign: Mapping[str, str]
    shared: Mapping[str, str]
    cooperative: bool | Callable[[Mapping[str, Value]], bool]
    directed: bool
    parts: Mapping[str, Parts]
    refused: Mapping[str, str]


#: The fields that a driver can give.
KNOWN = tuple(Fields.__annotations__)


def technique(name: str, **fields: Unpack[Fields]) -> Callable[[Driver], Technique]:
    """Turn a driver function into a `Technique`; its module's docstring begins with the idea.

    A driver is found by its path, wherever it is; in `gpubfs/techniques`, or in a package that
    names its module as an entry point of the group ``gpubfs.techniques``, by its name.

    Parameters
    ----------
    name : str
        What commands call it: lower-case words with hyphens between them.
    **fields
        Attributes of `Technique`, each of which can be left out: family, kernel (by default the
        CUDA file beside the driver's that has its name), paper, section, year, arrays, memory,
        options, machines, benign, shared, cooperative, directed, parts, refused.

    Returns
    -------
    callable
        A decorator of the driver, ``drive(host, graph, source, **options) -> SearchResult``.

    Raises
    ------
    UsageError
        Where the driver is decorated: for a field that there is not, or is not of its kind, and for
        a driver or a module that lacks something.

    Examples
    --------
    >>> import gpubfs
    >>> from gpubfs.search.loops import queue_loop
    >>> @technique("my-search", kernel="scan_free.cu")
    ... def my_search(host, graph, source):
    ...     return queue_loop(host, graph, source, "scan_free", 256)
    >>> gpubfs.run(my_search, "toy").technique
    'my-search'
    """
    refuse_bare(name, "technique", 'technique("my-search")')

    def describe(drive: Driver) -> Technique:
        for field in fields:
            if field not in KNOWN:
                raise no_field(field, ("name", *KNOWN))
        about = inspect.getdoc(inspect.getmodule(drive)) or ""
        file = Path(inspect.getfile(drive)) if inspect.isfunction(drive) else KERNELS
        idea = " ".join(about.partition("\n\n")[0].split())
        made = Technique(name, drive, idea=idea, about=about, folder=file.parent, **fields)
        if not made.kernel:
            made = replace(made, kernel=f"{file.stem}.cu")
        check_description(made)
        return made

    return describe


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
    _check_options(technique.options)
    _check_parameters(drive, technique.options)
    _check_cooperative(technique)


def _check_options(options: tuple[Option, ...]) -> None:
    """Each option has a name by which it can be given, and a default that it allows itself."""
    names = [option.name for option in options]
    for option in options:
        if names.count(option.name) > 1:
            raise _refused(option, "is there twice", "give each option a name of its own")
        if not _is_variable(option.name) or option.name in TAKEN:
            hint = f"give a Python name other than {', '.join(TAKEN)}"
            raise _refused(option, "cannot be given by that name", hint)
        for field, (holds, hint) in OPTION_FIELDS.items():
            value = getattr(option, field)
            if not holds(value):
                raise _refused(option, f"has the {field} {shown(value)}", hint)
        if option.choose and AUTO not in option.choices:
            raise _refused(
                option, 'has choose, but not the choice "auto"', 'give choices=("auto", …)'
            )
        if option.only_with is not None and option.only_with[0] not in names:
            hint = f"name one of {', '.join(names)}"
            raise _refused(option, f"is only with {shown(option.only_with[0])}", hint)
        _check_default(option)


def _check_default(option: Option) -> None:
    try:
        option.parse(option.default)
        option.check_warps(option.fitting(LANES), LANES)
    except UsageError as error:
        problem = f"has a default that it does not allow: {error.message}"
        raise _refused(option, problem, error.hint) from None


def _refused(option: Option, what: str, hint: str) -> UsageError:
    return UsageError(f"the field options: {shown(option.name)} {what}", hint)


def _check_cooperative(technique: Technique) -> None:
    """Where it is a function, it tells true from false for the options' defaults."""
    decide: Any = technique.cooperative
    if not callable(decide):
        return
    try:
        decided = decide({option.name: option.default for option in technique.options})
    except Exception as error:
        decided = error
    if not isinstance(decided, bool):
        what = f"a function that gives {shown(decided)} for the options' defaults"
        raise UsageError(f"the field cooperative is {what}", FIELDS["cooperative"][1])


def _check_parameters(drive: Callable[..., Any], options: tuple[Option, ...]) -> None:
    """Raise unless a driver takes the host, the graph, the source, and each option by its name."""
    given = {option.name: option.default for option in options}
    try:
        inspect.signature(drive).bind(None, None, 0, **given)
    except TypeError as error:
        call = ", ".join(["host", "graph", "source", *(f"{name}=…" for name in given)])
        raise UsageError(
            f"the driver {drive.__name__} does not go with the field options: {error}",
            f"it is called as {drive.__name__}({call})",
        ) from None
