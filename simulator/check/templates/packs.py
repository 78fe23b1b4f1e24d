"""Parameter packs: a template's text, as a tree, written out for the packs of one instance.

Each element of a pack `args` gets a name of its own that no program can write, `args[0]`, and each
expansion becomes as many copies of its pattern as the packs in it have elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from simulator.check.scopes import is_pack
from simulator.check.templates.deduction import (
    AnyTemplate,
    Bound,
    field_names,
    is_branch,
    mentioned,
)
from simulator.ir import tree
from simulator.ir.types import BOOL, INT, ULONG, VOID
from simulator.ir.unchecked import (
    Capture,
    Definition,
    Expansion,
    Fold,
    Forwarded,
    Lambda,
    Named,
    PackSize,
    PackType,
    Prototype,
    Template,
    TemplateId,
    TypeArgument,
)
from simulator.source import CompileError, Span

T = TypeVar("T")


def element_name(pack: str, at: int) -> str:
    """Return how an element of a pack is called inside of an instance."""
    return f"{pack}[{at}]"


def written_out(item: T, template: AnyTemplate, bound: Bound) -> T:
    """Return a part of a template as it is for some arguments.

    Raises
    ------
    CompileError
        if packs of different lengths are expanded together, or a pack is not expanded
    """
    sizes = {name: len(one.pack) for name, one in bound.items() if one.pack is not None}
    if not sizes and not _forwards(template):
        return item
    found: T = _Writer(sizes, frozenset(_references(bound))).of(item)
    return found


def _forwards(template: AnyTemplate) -> bool:
    """Whether a function has parameters `T &&`."""
    item = template.item
    head = item.head if isinstance(item, Definition) else item
    parameters = head.parameters if isinstance(head, Prototype) else ()
    return any(isinstance(parameter.type, Forwarded) for parameter in parameters)


def _references(bound: Bound) -> Iterator[str]:
    """Yield the parameters of a template that stand for references."""
    for name, given in bound.items():
        for at, one in enumerate(given.pack or ()):
            if one.reference:
                yield element_name(name, at)
        if given.reference:
            yield name


@dataclass(frozen=True)
class _Writer:
    """Writes a tree for packs of known sizes.

    `references` are the parameters of the template that stand for references; `at` is the element
    that names of packs mean, None outside of expansions; `inner` are the packs of templates and
    lambdas inside, which are not known yet.
    """

    sizes: Mapping[str, int]
    references: frozenset[str]
    at: int | None = None
    inner: frozenset[str] = frozenset()

    def of(self, value: Any) -> Any:
        """Return a part of a tree as it is for the packs."""
        if isinstance(value, tuple):
            return self._all(value)
        if not is_branch(value):
            return value
        handler = _HANDLERS.get(type(value), _Writer._fields)
        return handler(self, value)

    def _fields(self, value: Any) -> Any:
        """Return a node, or any other part, with its parts written out."""
        changed = {}
        for name in field_names(value.__class__):
            old = getattr(value, name)
            new = self.of(old)
            if new is not old:
                changed[name] = new
        return replace(value, **changed) if changed else value

    def _all(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        made = tuple(one for value in values for one in self._copies(value))
        same = len(made) == len(values) and all(a is b for a, b in zip(made, values, strict=True))
        return values if same else made

    def _copies(self, value: Any) -> Iterator[Any]:
        """Yield what stands in a list in place of a value, which may be an expansion."""
        opened = _opened(value)
        packs = self._packs_in(opened) if opened is not None else set()
        if opened is None or not packs:
            yield self.of(value)
            return
        span = _place(value)
        self._check_known(opened, span)
        for at in range(self._length(packs, span)):
            inside = replace(self, at=at)
            yield inside.of(inside._numbered(opened))

    def _check_known(self, pattern: Any, span: Span) -> None:
        """Refuse an expansion of packs of which some are those of a template or lambda inside."""
        unknown = sorted(mentioned(pattern, dict.fromkeys(self.inner)))
        if unknown:
            what = f"`{unknown[0]}` cannot be expanded together with a pack of the template around"
            raise CompileError(what, span, "expand them one after another")

    def _numbered(self, value: Any) -> Any:
        """Return a function's parameter with the name of one element."""
        if isinstance(value, tree.Symbol) and value.name and self.at is not None:
            return replace(value, name=element_name(value.name, self.at))
        return value

    def _length(self, packs: set[str], span: Span) -> int:
        """Return how many elements packs have that are expanded together."""
        lengths = {self.sizes[name] for name in packs}
        if len(lengths) > 1:
            listed = ", ".join(f"`{name}` has {self.sizes[name]}" for name in sorted(packs))
            what = f"packs of different lengths cannot be expanded together: {listed}"
            raise CompileError(what, span, "expand them one after another")
        return lengths.pop()

    # Names of packs.

    def _name(self, name: str, span: Span) -> str:
        """Return the name of the element that is meant."""
        front, separator, rest = name.partition("::")
        if front not in self.sizes:
            return name
        if self.at is None:
            what = f"the parameter pack `{front}` is not expanded here"
            raise CompileError(what, span, "write `...` behind the expression or type that has it")
        return f"{element_name(front, self.at)}{separator}{rest}"

    def _named(self, value: Any) -> Any:
        made = self._fields(value)
        name = self._name(value.name, value.span)
        return made if name == value.name else replace(made, name=name)

    def _packs_in(self, value: Any) -> set[str]:
        """Return the names of packs that a pattern has outside of expansions in it."""
        return mentioned(value, self.sizes)

    # Functions, whose parameters may be packs.

    def _function(self, value: Any) -> Any:
        """Return a function or a lambda; its own packs hide those of the same names."""
        head = value.head if isinstance(value, Definition | Lambda) else value
        sizes, inner = dict(self.sizes), set(self.inner)
        for parameter in head.parameters:
            packs = self._packs_in(parameter.type) if is_pack(parameter) else None
            if packs:
                sizes[parameter.name] = self._length(packs, parameter.span)
            elif packs is not None:
                sizes.pop(parameter.name, None)
                inner.add(parameter.name)
        return replace(self, sizes=sizes, inner=frozenset(inner))._fields(value)

    def _template(self, value: Template) -> Template:
        packs = {parameter.name for parameter in value.parameters if parameter.pack}
        made: Template = replace(self, inner=self.inner | packs)._fields(value)
        return made

    def _symbol(self, value: tree.Symbol) -> tree.Symbol:
        """Return a variable; `T &&` is a reference where `T` stands for one."""
        made: tree.Symbol = self._fields(value)
        if not isinstance(made.type, Forwarded) or not isinstance(made.type.of, Named):
            return made
        refers = made.type.of.name in self.references
        return replace(made, type=made.type.of, reference=refers)

    def _size(self, value: PackSize) -> tree.Expression:
        if value.name not in self.sizes:
            return value
        return tree.Literal(self.sizes[value.name], span=value.span, type=ULONG)

    # Folds.

    def _fold(self, value: Fold) -> tree.Expression:
        left = self._packs_in(value.left) if value.left is not None else set()
        packs = left or self._packs_in(value.right)
        if not packs:
            made: tree.Expression = self._fields(value)
            return made
        self._check_known((value.left, value.right), value.span)
        pattern, other = (value.left, value.right) if left else (value.right, value.left)
        count = self._length(packs, value.span)
        parts = [replace(self, at=at).of(pattern) for at in range(count)]
        first = [self.of(other)] if other is not None else []
        parts = [*parts, *first] if left else [*first, *parts]
        if not parts:
            return _of_nothing(value)
        return _rightwards(value, parts) if left else _leftwards(value, parts)


def _place(value: Any) -> Span:
    """Return where an expansion stands; a type says it by the names in it."""
    found = getattr(value, "span", None)
    while not isinstance(found, Span):
        value = value.of if isinstance(value, PackType) else value.to
        found = getattr(value, "span", None)
    return found


def _of_nothing(fold: Fold) -> tree.Expression:
    """Return what a fold over an empty pack is."""
    if fold.op in ("&&", "||"):
        return tree.Literal(fold.op == "&&", span=fold.span, type=BOOL)
    if fold.op == ",":
        zero = tree.Literal(0, span=fold.span, type=INT)
        return tree.Cast(zero, explicit=True, span=fold.span, type=VOID)
    what = f"a fold over `{fold.op}` of an empty parameter pack has no value"
    raise CompileError(what, fold.span, f"write a first value: `(0 {fold.op} ... {fold.op} pack)`")


def _leftwards(fold: Fold, parts: list[tree.Expression]) -> tree.Expression:
    """Return `(a op b) op c`."""
    made, *others = parts
    for one in others:
        made = _operation(fold, made, one)
    return made


def _rightwards(fold: Fold, parts: list[tree.Expression]) -> tree.Expression:
    """Return `a op (b op c)`."""
    *others, made = parts
    for one in reversed(others):
        made = _operation(fold, one, made)
    return made


def _operation(fold: Fold, left: tree.Expression, right: tree.Expression) -> tree.Expression:
    op, span = fold.op, fold.span
    if op in ("&&", "||"):
        return tree.Logical(op, left, right, span=span)
    if op == "=":
        return tree.Assign(left, right, span=span)
    if op.endswith("=") and op not in ("==", "!=", "<=", ">="):
        return tree.CompoundAssign(op[:-1], left, right, span=span)
    return tree.Binary(op, left, right, span=span)


def _opened(value: Any) -> Any:
    """Return the pattern of an expansion that stands in a list; None of anything else."""
    if isinstance(value, Expansion):
        return value.pattern
    if isinstance(value, Capture):
        return replace(value, pack=False) if value.pack else None
    kind = value.of if isinstance(value, PackType) else getattr(value, "type", None)
    if isinstance(value, PackType):
        return kind
    if isinstance(value, TypeArgument | tree.Symbol) and isinstance(kind, PackType):
        return replace(value, type=kind.of)
    return None


#: What is called by a name that may be a pack's.
_NAMES = (tree.Name, tree.Call, Named, TemplateId)

_HANDLERS: dict[type, Callable[[_Writer, Any], Any]] = {
    **dict.fromkeys(_NAMES, _Writer._named),
    **dict.fromkeys((Definition, Prototype, Lambda), _Writer._function),
    Template: _Writer._template,
    tree.Symbol: _Writer._symbol,
    Capture: _Writer._named,
    Fold: _Writer._fold,
    PackSize: _Writer._size,
}
