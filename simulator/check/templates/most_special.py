"""Which of several templates, or specialisations of one, is the most special."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from simulator.check.scopes import FunctionTemplate, head_of, is_pack
from simulator.check.templates.deduction import opened
from simulator.ir import tree
from simulator.ir.types import Array, CType, Pointer
from simulator.ir.unchecked import Forwarded, Named, PackType, Sized, TemplateId, TypeArgument


def fit_arguments(
    patterns: Sequence[tree.Node], given: Sequence[tree.Node], names: Collection[str]
) -> bool:
    """Whether the arguments of one specialisation of a class are a case of another one's."""
    bound: dict[str, str] = {}
    pairs = _paired(patterns, given, opened)
    more = len(given) > len(patterns) and not any(map(opened, patterns))
    if pairs is None or more:
        return False
    return all(_fits_argument(a, b, names, bound if same else {}) for a, b, same in pairs)


def is_more_special(one: FunctionTemplate, other: FunctionTemplate) -> bool:
    """Whether a template takes a part of what another one takes, and not the reverse."""
    takes, is_taken = _covers(other, one), _covers(one, other)
    if takes and is_taken and _has_pack(other) != _has_pack(one):
        return _has_pack(other)
    if takes and is_taken:
        return _count_forwarded(other) > _count_forwarded(one)
    return takes and not is_taken


def _count_forwarded(template: FunctionTemplate) -> int:
    """Return how many parameters are `T &&`, which is less special than `const T &`."""
    return sum(isinstance(p.type, Forwarded) for p in head_of(template).parameters)


def _has_pack(template: FunctionTemplate) -> bool:
    return any(map(is_pack, head_of(template).parameters))


def _covers(general: FunctionTemplate, special: FunctionTemplate) -> bool:
    """Whether a template could be called with the parameters of another one."""
    names = {parameter.name for parameter in general.parameters}
    patterns, given = ([_plain(p.type) for p in head_of(t).parameters] for t in (general, special))
    pairs = _paired(patterns, given, _opened_type)
    bound: dict[str, str] = {}
    if pairs is None:
        return False
    return all(_fits(a, b, names, bound if same else {}) for a, b, same in pairs)


def _plain(ctype: CType) -> CType:
    """Return a type without the `&&` of a reference."""
    if isinstance(ctype, PackType):
        return PackType(_plain(ctype.of))
    return ctype.of if isinstance(ctype, Forwarded) else ctype


def _opened_type(ctype: CType) -> CType | None:
    return ctype.of if isinstance(ctype, PackType) else None


def _paired(
    patterns: Sequence[Any], given: Sequence[Any], pattern_of: Callable[[Any], Any]
) -> list[tuple[Any, Any, bool]] | None:
    """Return each pattern with what it meets, and whether it is for that alone.

    None where one element meets an expansion. `pattern_of` gives the pattern of an expansion.
    """
    pairs = []
    for at, pattern in enumerate(patterns):
        inner = pattern_of(pattern)
        for met in given[at : at + 1] if inner is None else given[at:]:
            met_inner = pattern_of(met)
            if inner is None and met_inner is not None:
                return None
            shown = met if met_inner is None else met_inner
            pairs.append((pattern if inner is None else inner, shown, inner is None))
    return pairs


def _fits(pattern: CType, given: CType, names: Collection[str], bound: dict[str, str]) -> bool:
    if isinstance(pattern, Named) and pattern.name in names:
        return bound.setdefault(pattern.name, str(given)) == str(given)
    if isinstance(pattern, Pointer) and isinstance(given, Pointer):
        return _fits_pointer(pattern, given, names, bound)
    if isinstance(pattern, Array) and isinstance(given, Array):
        return _fits_array(pattern, given, names, bound)
    if isinstance(pattern, TemplateId) and isinstance(given, TemplateId):
        if pattern.name != given.name or len(pattern.arguments) != len(given.arguments):
            return False
        pairs = zip(pattern.arguments, given.arguments, strict=True)
        return all(_fits_argument(a, b, names, bound) for a, b in pairs)
    return str(pattern) == str(given)


def _fits_pointer(
    pattern: Pointer, given: Pointer, names: Collection[str], bound: dict[str, str]
) -> bool:
    if pattern.const and not given.const:
        return False
    if isinstance(pattern.to, Named) and pattern.to.name in names:
        meant = f"{'const ' * (given.const and not pattern.const)}{given.to}"
        return bound.setdefault(pattern.to.name, meant) == meant
    return pattern.const == given.const and _fits(pattern.to, given.to, names, bound)


def _fits_array(
    pattern: Array, given: Array, names: Collection[str], bound: dict[str, str]
) -> bool:
    length = pattern.expression if isinstance(pattern, Sized) else None
    any_length = isinstance(length, tree.Name) and length.name in names
    same = any_length or _length_text(pattern) == _length_text(given)
    return same and _fits(pattern.of, given.of, names, bound)


def _length_text(array: Array) -> str:
    return array.expression.span.text if isinstance(array, Sized) else str(array.length)


def _fits_argument(
    pattern: tree.Node, given: tree.Node, names: Collection[str], bound: dict[str, str]
) -> bool:
    if isinstance(pattern, TypeArgument) and isinstance(given, TypeArgument):
        if pattern.const and not given.const:
            return False
        return _fits(pattern.type, given.type, names, bound)
    if isinstance(pattern, tree.Name) and pattern.name in names:
        return bound.setdefault(pattern.name, given.span.text) == given.span.text
    return pattern.span.text == given.span.text
