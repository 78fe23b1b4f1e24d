"""Instances of a program's template kernels, to see whether the templates compile at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.ir.types import BOOL, FunctionPointer
from simulator.ir.unchecked import (
    Alias,
    Definition,
    Named,
    Structure,
    Template,
    TemplateParameter,
    Unit,
)
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
    """Yield the template kernels of a program as it was read, each once.

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
        if "__global__" in head.specifiers:
            lists = (", ".join(_tried(p, ctype, unit) for p in item.parameters) for ctype in _TYPES)
            names = tuple(dict.fromkeys(f"{head.name}<{arguments}>" for arguments in lists))
            yield Trial(head.name, head.location, names)


def _tried(parameter: TemplateParameter, ctype: str, unit: Unit) -> str:
    if parameter.inner is not None:
        return _template_like(parameter, unit)
    if parameter.type is None:
        return ctype
    if isinstance(parameter.type, Named):
        name = parameter.type.name
        aliases = (one for one in unit.items if isinstance(one, Alias) and one.name == name)
        meant = next((one.type for one in aliases), None)
        if isinstance(meant, FunctionPointer):
            return _fitting(meant, unit) or "nullptr"
    return "true" if parameter.type == BOOL else "32"


def _template_like(parameter: TemplateParameter, unit: Unit) -> str:
    """Return the last template of classes of a program with as many parameters, if there is one."""
    wanted = len(parameter.inner or ())
    own = (one for one in unit.items if isinstance(one, Template) and len(one.parameters) == wanted)
    names = [one.item.name for one in own if isinstance(one.item, Structure | Alias)]
    return names[-1] if names else "int"


def _fitting(ctype: FunctionPointer, unit: Unit) -> str:
    """Return the last function of a program that a pointer may lead to, "" if there is none."""
    definitions = [one for one in unit.items if isinstance(one, Definition)]
    heads = [one.head for one in definitions if "__device__" in one.head.specifiers]
    wanted = [str(one) for one in ctype.parameters]
    names = [h.name for h in heads if [str(p.type) for p in h.parameters] == wanted]
    return names[-1] if names else ""
