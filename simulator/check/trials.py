"""Instances of a program's template kernels, to see whether the templates compile at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.ir.types import BOOL
from simulator.ir.unchecked import Definition, Template, TemplateParameter, Unit
from simulator.source import Span

#: The types that are tried for parameters that are types.
_TYPES = ("float", "int", "float4")


@dataclass(frozen=True)
class Trial:
    """A kernel that is a template, with names of instances as `name_expressions` take them."""

    name: str
    span: Span
    instances: tuple[str, ...]


def trials(unit: Unit) -> Iterator[Trial]:
    """The template kernels of a program as it was read, each once.

    Examples
    --------
    >>> from simulator.read import read
    >>> from simulator.source import Source
    >>> unit = read(Source("template <typename T, int N> __global__ void k(T *a) { a[N] = 1; }"))
    >>> [trial.instances[0] for trial in trials(unit)]
    ['k<float, 32>']
    """
    for item in unit.items:
        if not isinstance(item, Template) or not isinstance(item.item, Definition):
            continue
        head = item.item.head
        if "__global__" in head.words:
            lists = (", ".join(_argument(p, ctype) for p in item.parameters) for ctype in _TYPES)
            names = tuple(dict.fromkeys(f"{head.name}<{arguments}>" for arguments in lists))
            yield Trial(head.name, head.place, names)


def _argument(parameter: TemplateParameter, ctype: str) -> str:
    if parameter.type is None:
        return ctype
    return "true" if parameter.type == BOOL else "32"
