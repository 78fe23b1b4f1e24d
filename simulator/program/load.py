"""Programs as the host gives them: their text, their options, and those that were read before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from simulator import builtins
from simulator.check import check
from simulator.hints.similar import one_of
from simulator.ir import tree
from simulator.ir.tree import Storage
from simulator.ir.types import Scalar
from simulator.ir.unchecked import Definition, Item, Prototype, Template, Unit, Variable
from simulator.program.options import Options, state_of
from simulator.read import read
from simulator.read.headers import Folders
from simulator.source import CompileError, Source, Span

# `-default-device`: what has no execution space is the device's.


_SPACES = frozenset(["__global__", "__device__", "__host__"])
_MEMORIES = frozenset(["__device__", "__constant__", "__shared__", "__managed__", "extern"])


def on_device(unit: Unit) -> Unit:
    """The program with `__device__` before all functions and variables that do not say where.

    Examples
    --------
    >>> from simulator.read import read
    >>> from simulator.source import Source
    >>> program = on_device(read(Source("int half(int x) { return x / 2; }")))
    >>> "__device__" in program.items[0].head.words
    True
    """
    return replace(unit, items=tuple(map(_item, unit.items)))


def _item(item: Item) -> Item:
    if isinstance(item, Template):
        inner = _item(item.item)
        assert isinstance(inner, Prototype | Definition)
        return replace(item, item=inner)
    if isinstance(item, Definition):
        return replace(item, head=_head(item.head))
    if isinstance(item, Prototype):
        return _head(item)
    return _variable(item) if isinstance(item, Variable) else item


def _head(head: Prototype) -> Prototype:
    if head.words & _SPACES:
        return head
    return replace(head, words=head.words | {"__device__"})


def _variable(node: Variable) -> Variable:
    """Numbers that are constant stay what they are: they need no memory."""
    number = node.symbol.const and isinstance(node.symbol.type, Scalar)
    if node.words & _MEMORIES or number or "constexpr" in node.words:
        return node
    symbol = replace(node.symbol, storage=Storage.DEVICE)
    return replace(node, symbol=symbol, words=node.words | {"__device__"})


# Kernels by name: where they stand in the source, and the error for one that is not there.


def no_kernel(name: str, program: tree.Program) -> CompileError:
    """The error for the kernel `name`; instances of templates must be announced."""
    plain = name.split("<")[0].strip().lstrip("&")
    if plain in program.templates:
        full = name if "<" in name else f"{name}<…>"
        what = f"{plain!r} is a template, and {name!r} is not among the name_expressions"
        hint = f'Pass name_expressions=["{full}"] to RawModule, and get the function by it.'
        return CompileError(what, hint=hint)
    what = f"the source has no kernel {name!r}"
    found = program.functions.get(name)
    if found is not None:
        hint = "it is a `__device__` function: the host can launch `__global__` ones only"
        return CompileError(what, name_span(found), hint)
    if not program.kernels:
        return CompileError(what, hint='write one: extern "C" __global__ void name(…) { … }')
    return CompileError(what, hint=one_of("kernels", name, program.kernels))


def name_span(function: tree.Function) -> Span:
    """Where a function's name stands in its source."""
    span, name = function.span, function.name.split("<")[0].split("::")[-1]
    for number in range(span.line, span.end_line + 1):
        column = span.source.line(number).find(name) + 1
        if column:
            return Span(span.source, number, column, number, column + len(name))
    return span


#: Characters of a source whose program is kept for the next module that has the same text.
_MOST_KEPT = 1 << 16


def text_of(code: str | None, path: str | None) -> str:
    """The source text, given itself or by its file.

    Raises
    ------
    CompileError
        if the file is no text
    """
    if path is None:
        if not isinstance(code, str):
            raise TypeError(f"code is a str of CUDA C, not {type(code).__name__}")
        return code
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        what = f"{path} cannot be read as UTF-8 text"
        raise CompileError(what, hint="Save it as plain text.") from None


def given_options(options: Sequence[str], backend: str) -> tuple[str, ...]:
    """The options of a module, in the form that CuPy asks for."""
    if not isinstance(options, tuple):
        what = "options is a tuple of str, which for one option is written with a comma: (option,)"
        raise TypeError(f"{what}; not {type(options).__name__}")
    if backend not in ("nvrtc", "nvcc"):
        raise ValueError(f"Invalid backend {backend}: it is nvrtc or nvcc")
    return options


def program_of(
    text: str, name: str, given: Options, names: tuple[str, ...], cooperative: bool
) -> tree.Program:
    """The checked program of a source text, called `name` in messages.

    Parameters
    ----------
    text, name
        the source
    given
        what its compiler options say
    names
        functions that the host will ask for, instances of templates among them
    cooperative
        whether its kernels are launched so that the threads of a grid can wait for each other

    Raises
    ------
    CompileError
        at the first thing that is wrong or not supported
    """
    read_program = _program if len(text) <= _MOST_KEPT else _program.__wrapped__
    return read_program(
        text,
        name,
        tuple(given.defines.items()),
        tuple(given.folders),
        state_of(given.folders),
        names,
        cooperative,
        given.default_device,
        builtins.version(),
    )


@lru_cache(maxsize=64)
def _program(
    text: str,
    name: str,
    defines: tuple[tuple[str, str], ...],
    folders: tuple[str, ...],
    state: tuple[tuple[str, int], ...],
    names: tuple[str, ...],
    cooperative: bool,
    default_device: bool,
    version: int,
) -> tree.Program:
    """The checked program; `state` and `version` tell changed headers and functions apart."""
    unit = read(Source(text, name), dict(defines), Folders(folders), names)
    return check(on_device(unit) if default_device else unit, cooperative)
