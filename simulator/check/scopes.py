"""Scopes: which names mean what where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from simulator.ir import tree
from simulator.ir.types import CType
from simulator.ir.unchecked import Definition, Prototype, TemplateParameter
from simulator.source import CompileError, Diagnostic, Span

COORDINATES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


@dataclass(frozen=True)
class AliasOf:
    """A name for a type; `tag` says that it is that of a `struct` or `enum` itself.

    A variable or function may have the same name as a tag.
    """

    type: CType
    span: Span
    const: bool = False
    tag: bool = False


@dataclass(frozen=True, eq=False)
class FunctionTemplate:
    """A function template: its head or definition, and what it can see of the file."""

    name: str
    parameters: tuple[TemplateParameter, ...]
    item: Prototype | Definition
    scope: Scope
    span: Span


@dataclass(frozen=True)
class Frame:
    """The function whose body is being checked; `declared` is every name in it so far."""

    name: str
    kind: str
    result: CType
    declared: dict[str, Span] = field(default_factory=dict, compare=False)


@dataclass
class Shared:
    """What all scopes of a program know: its constants and the functions checked so far.

    `templates` are the latest declarations of templates, `instances` their instances' names,
    `define` checks the definition of one in a scope, `demand` gives a function that is defined, but
    perhaps not checked yet; `cooperative` says whether kernels are launched so that grids can wait
    for each other. `dynamic` are the arrays in dynamic shared memory by their names,
    `warnings` what is legal and probably wrong.
    """

    constants: dict[tree.Symbol, tree.Literal] = field(default_factory=dict)
    functions: dict[str, tree.Function] = field(default_factory=dict)
    templates: dict[str, FunctionTemplate] = field(default_factory=dict)
    instances: list[str] = field(default_factory=list)
    define: Callable[[Definition, Scope], tree.Function] | None = None
    demand: Callable[[str], tree.Function | None] | None = None
    cooperative: bool = False
    structures: int = 0
    dynamic: dict[str, tree.Symbol] = field(default_factory=dict)
    warnings: list[Diagnostic] = field(default_factory=list)


Meaning = tree.Symbol | AliasOf | Prototype | FunctionTemplate


def _is_tag(meaning: Meaning | None) -> TypeGuard[AliasOf]:
    return isinstance(meaning, AliasOf) and meaning.tag


class Scope:
    """The names of one block, on top of those around it."""

    def __init__(
        self, shared: Shared, parent: Scope | None = None, frame: Frame | None = None
    ) -> None:
        self.shared = shared
        self.parent = parent
        self.frame: Frame | None = frame or (parent.frame if parent else None)
        self.in_loop: bool = parent.in_loop if parent and not frame else False
        self.in_switch: bool = parent.in_switch if parent and not frame else False
        #: Whether blocks right in this one cannot declare the same names again.
        self.is_head = False
        self._names: dict[str, Meaning] = {}
        self._tags: dict[str, AliasOf] = {}  # those whose names mean something else, too

    def inner(self, loop: bool = False, switch: bool = False) -> Scope:
        """A block inside this one."""
        scope = Scope(self.shared, self)
        scope.in_loop = self.in_loop or loop
        scope.in_switch = self.in_switch or switch
        return scope

    def snapshot(self) -> Scope:
        """A scope as this one is now, whatever is declared in it later."""
        scope = Scope(self.shared, self.parent, self.frame)
        scope._names = dict(self._names)
        scope._tags = dict(self._tags)
        return scope

    def declare(self, name: str, meaning: Meaning) -> None:
        """Give `name` a meaning from here on.

        Raises
        ------
        CompileError
            if it has one in this very scope
        """
        old = self._names.get(name)
        if old is None and self.parent is not None and self.parent.is_head:
            old = self.parent._names.get(name)
        if _is_tag(old) and not isinstance(meaning, AliasOf):
            self._tags[name], old = old, None
        elif _is_tag(meaning) and not isinstance(old, AliasOf | None):
            self._tags[name] = meaning
            return
        if old is not None:
            hint = f"it was declared in line {old.span.line}; choose another name"
            raise CompileError(f"`{name}` is already declared in this scope", meaning.span, hint)
        self._names[name] = meaning
        if self.frame is not None:
            self.frame.declared[name] = meaning.span

    def replace(self, name: str, meaning: Meaning) -> None:
        """Give `name` a meaning, even if it has one."""
        self._names[name] = meaning

    def lookup(self, name: str) -> Meaning | None:
        """What `name` means here."""
        return next(
            (scope._names[name] for scope in self._outwards() if name in scope._names), None
        )

    def type_called(self, name: str) -> AliasOf | None:
        """The type that `name` means where one must stand."""
        found = (scope.type_here(name) for scope in self._outwards())
        return next((meaning for meaning in found if meaning is not None), None)

    def type_here(self, name: str) -> AliasOf | None:
        """The type of this very scope that `name` means where one must stand."""
        meaning = self._names.get(name)
        return meaning if isinstance(meaning, AliasOf) else self._tags.get(name)

    def here(self, name: str) -> Meaning | None:
        """What this very scope says of `name`."""
        return self._names.get(name)

    def names(self, *kinds: type) -> Iterator[str]:
        """The names of some kinds of meaning that can be seen from here."""
        for scope in self._outwards():
            yield from (
                name for name, meaning in scope._names.items() if isinstance(meaning, kinds)
            )

    @property
    def outermost(self) -> Scope:
        """The scope of the file."""
        return list(self._outwards())[-1]

    def _outwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent
