"""Check: a program as it was read, to one that is typed, resolved and explicit.

What breaks C's rules or is not supported raises a CompileError where it is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from simulator.check import bindings as _bindings  # noqa: F401 (they register themselves)
from simulator.check import expressions as _handlers  # noqa: F401 (likewise)
from simulator.check import function_pointers, kernel_attributes, members, statics
from simulator.check import range_loops as _range_loops  # noqa: F401 (likewise)
from simulator.check.calls import is_builtin
from simulator.check.classes import class_templates, declaration, destructors, objects
from simulator.check.classes import lambdas as _lambdas  # noqa: F401 (likewise)
from simulator.check.declared_types import has_auto
from simulator.check.errors import Errors, names_of
from simulator.check.file_variables import file_variable
from simulator.check.heads import kind_of, resolved_head
from simulator.check.overloads import written
from simulator.check.scopes import (
    Class,
    Frame,
    FunctionTemplate,
    Meaning,
    Overloads,
    Scope,
    Shared,
    head_of,
    plain_name,
)
from simulator.check.statements import body, completes, statement, without_value
from simulator.check.templates import instance_named
from simulator.ir import tree
from simulator.ir.tree import walk
from simulator.ir.types import VOID, CType
from simulator.ir.unchecked import (
    Assembly,
    Definition,
    Item,
    Naming,
    Prototype,
    Template,
    Unit,
    Variable,
)
from simulator.lint.warnings import warnings
from simulator.source import CompileError, Diagnostic


@statement.register
def _assembly(node: Assembly, scope: Scope) -> tree.Statement:
    """Check an `asm` statement; what knows PTX is imported for the first one (0.03 s)."""
    from simulator.check import assembly

    return assembly.checked(node, scope)


# The order in which functions are checked: callees first, those that call each other together.


@dataclass(frozen=True)
class Group:
    """Functions that call each other, or one alone; `recursive` if it calls itself."""

    names: tuple[str, ...]
    recursive: bool


def callees_first(definitions: Mapping[str, Definition]) -> list[Group]:
    """Return the names of `definitions` in groups, each after those that it calls."""
    helpers = {name for name, found in definitions.items() if kind_of(found.head) == "__device__"}
    known = helpers - _unsure(definitions)
    called = {name: _called(found) & known for name, found in definitions.items()}
    calls = {name: [n for n in definitions if n in called[name]] for name in definitions}
    search = _Search(calls)
    for name in definitions:
        if name not in search.number:
            search.visit(name)
    return [Group(names, len(names) > 1 or names[0] in calls[names[0]]) for names in search.groups]


def _called(definition: Definition) -> set[str]:
    return {node.name for node in walk(definition.body) if isinstance(node, tree.Call)}


def _unsure(definitions: Mapping[str, Definition]) -> set[str]:
    """Return the names by which several functions are called: types tell which one is meant."""
    counts = Counter(plain_name(name) for name in definitions)
    return {name for name, count in counts.items() if count > 1 or is_builtin(name)}


class _CallsItself(Exception):
    """A function that is being checked is called: it is found to be recursive."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass
class _Search:
    """Tarjan's search for the strongly connected parts of a graph, callees before callers."""

    calls: Mapping[str, list[str]]
    number: dict[str, int] = field(default_factory=dict)
    lowest: dict[str, int] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    groups: list[tuple[str, ...]] = field(default_factory=list)

    def visit(self, name: str) -> None:
        self.number[name] = self.lowest[name] = len(self.number)
        self.waiting.append(name)
        for callee in self.calls[name]:
            if callee not in self.number:
                self.visit(callee)
                self.lowest[name] = min(self.lowest[name], self.lowest[callee])
            elif callee in self.waiting:
                self.lowest[name] = min(self.lowest[name], self.number[callee])
        if self.lowest[name] == self.number[name]:
            first = self.waiting.index(name)
            self.groups.append(tuple(self.waiting[first:]))
            del self.waiting[first:]


_LINKED = '"C"'


def check(program: Unit, cooperative: bool = False) -> tree.Program:
    """Check a whole program.

    Parameters
    ----------
    program
        what `read` gave
    cooperative
        whether its kernels are launched so that the threads of a grid can wait for each other

    Returns
    -------
    Program
        its functions, checked as tree.py describes; constants are literals in them

    Raises
    ------
    CompileError
        at the first thing that breaks C's rules, or that is not supported; its `errors` are all

    Examples
    --------
    >>> from simulator.read import read
    >>> from simulator.source import Source
    >>> program = check(read(Source("__global__ void fill(float *a) { a[threadIdx.x] = 7; }")))
    >>> print(program.kernels["fill"].body.body[0].expression.value.type)
    float
    """
    try:
        checked = _Checker(program, cooperative).program()
        return replace(checked, warnings=warnings(program, checked))
    except RecursionError:
        raise CompileError("the program is nested too deeply", program.span) from None


class _Checker:
    """The state of one check: the scope of the file, and what each definition could see of it."""

    def __init__(self, unit: Unit, cooperative: bool) -> None:
        self._unit = unit
        self._shared = Shared(
            declare=class_templates.declare,
            define=self._instance,
            instantiate=class_templates.instance,
            convert=objects.convert,
            designate=function_pointers.designated,
            demand=self._demanded,
            declare_static=statics.declare,
            cooperative=cooperative,
            headers=unit.headers,
        )
        self._file = Scope(self._shared)
        self._definitions: dict[str, tuple[Definition, Scope]] = {}
        self._begun: list[str] = []
        self._circles: dict[str, tuple[str, ...]] = {}
        self._found_late = False  # whether a check has found that a function calls itself
        self._errors = Errors(unit.items)
        self._places: dict[str, int] = {}  # which item defines a function

    def program(self) -> tree.Program:
        for at, item in enumerate(self._unit.items):
            self._declared(at, item)
        groups = callees_first(
            {name: definition for name, (definition, _) in self._definitions.items()}
        )
        self._circles = {
            name: group.names for group in groups for name in group.names if group.recursive
        }
        for group in groups:
            for name in group.names:
                self._demanded(name)
        for owner in list(self._shared.classes.values()):
            self._member_functions(owner)
        self._errors.raise_all()
        function_pointers.write_dispatchers(self._file)
        if self._found_late or self._shared.dispatchers or self._shared.unfinished:
            _mark_circles(self._shared.functions)
        asked = {node.text: instance_named(node, self._file) for node in self._unit.asked}
        names = [*self._definitions, *self._shared.instances]
        functions = {name: self._shared.functions[name] for name in names}
        _check_launched(functions)
        templates = frozenset(self._shared.templates)
        outer = (found for found in self._shared.variables if found is not None)
        variables = (*outer, *self._shared.statics.values())
        warned = tuple(self._shared.warnings)
        span = self._unit.span
        return tree.Program(functions, variables, asked, templates, warnings=warned, span=span)

    def _member_functions(self, owner: Class) -> None:
        """Check the functions of a class that no call has asked for, but those of templates."""
        if owner.type.made_of is not None or owner.scope.frame is not None:
            return
        for definition, _ in list(owner.definitions.values()):
            try:
                members.function_of(owner, definition.head, definition.head.location)
            except CompileError as error:
                self._errors.add(error, self._item_at(owner))

    def _item_at(self, owner: Class) -> int:
        """Return which item defines a class."""
        contents = (getattr(item, "content", None) for item in self._unit.items)
        return next((at for at, found in enumerate(contents) if found is owner.content), 0)

    def _declared(self, at: int, item: Item) -> None:
        """Declare what an item does; if it is wrong, its new names are."""
        known = {name for name in names_of(item) if self._file.here(name) is not None}
        try:
            self._item(at, item)
        except CompileError as error:
            self._errors.add(error, at)
            self._errors.failed |= names_of(item) - known

    def _demanded(self, name: str) -> tree.Function | None:
        """Return a defined function, checked now if it is not yet; None if there is none.

        A function whose check fails is given without a body, so that its callers can be checked.
        """
        functions = self._shared.functions
        if name in functions or name not in self._definitions:
            return functions.get(name)
        try:
            return self._checked(name)
        except CompileError as error:
            self._errors.add(error, self._places[name])
        return functions.setdefault(name, _without_body(self._definitions[name][0]))

    def _checked(self, name: str) -> tree.Function:
        functions = self._shared.functions
        if name in self._circles:
            self._recursive(self._circles[name])
            return functions[name]
        definition, scope = self._definitions[name]
        if name in self._begun:
            self._check_no_instance(name, definition)
            raise _CallsItself(name)
        self._begun.append(name)
        warned = len(self._shared.warnings)
        try:
            functions[name] = self._function(definition, scope)
        except _CallsItself as found:
            self._begun.remove(name)
            del self._shared.warnings[warned:]
            if found.name != name:
                raise
            self._found_late = True
            self._recursive((name,))
        return functions[name]

    def _check_no_instance(self, name: str, definition: Definition) -> None:
        """Refuse a function that comes back to itself through an instance of a template."""
        if any(one not in self._shared.functions for one in self._shared.instances):
            what = f"recursion through a template is not supported: `{name}`"
            hint = "write plain functions for it, or a loop"
            raise CompileError(what, definition.head.span, hint)

    def _recursive(self, names: tuple[str, ...]) -> None:
        """Functions that call each other: all are there before the body of one is checked."""
        for name in names:
            definition, outer = self._definitions[name]
            nothing = replace(definition, body=tree.Block((), span=definition.body.span))
            head = replace(self._function(nothing, outer, ends=True), recursive=True)
            self._shared.functions[name] = head
        for name in names:
            try:
                body = self._function(*self._definitions[name]).body
                object.__setattr__(self._shared.functions[name], "body", body)
            except CompileError as error:
                self._errors.add(error, self._places[name])

    def _instance(self, definition: Definition, scope: Scope) -> tree.Function:
        """Check an instance of a template, or a member function, in the `scope` of its names."""
        head = resolved_head(definition.head, scope)
        return self._function(replace(definition, head=head), scope)

    def _item(self, at: int, item: Item) -> None:
        if isinstance(item, Naming):
            statement(item, self._file)
        elif isinstance(item, Template):
            class_templates.declare(item, self._file)
        elif isinstance(item, Variable):
            self._shared.variables.append(file_variable(item, self._file))
        elif isinstance(item, Prototype):
            self._head(item)
        elif declaration.is_outside(item.head, self._file):
            declaration.define_outside(item, self._file.snapshot())
        else:
            head = self._head(item.head)
            if head.name in self._definitions:
                line = self._definitions[head.name][0].span.line
                hint = f"first in line {line}"
                raise CompileError(f"`{head.name}` is defined twice", head.location, hint)
            self._definitions[head.name] = (replace(item, head=head), self._file.snapshot())
            self._places[head.name] = at

    def _head(self, head: Prototype) -> Prototype:
        """Declare a head with definite types in the file, where its like may stand already."""
        return self._declare(resolved_head(head, self._file))

    def _declare(self, head: Prototype) -> Prototype:
        """`head` in the file's scope, with the linkage of an earlier declaration."""
        name, meaning = head.name, self._file.here(head.name)
        old = _same(head, meaning)
        if old is None and isinstance(meaning, Prototype | FunctionTemplate | Overloads):
            return self._overload(head, meaning)
        if isinstance(old, Prototype):
            head = replace(head, name=old.name)
            if _shape(old) != _shape(head):
                hint = f"it was declared in line {old.span.line}"
                raise CompileError(f"`{head.name}` is declared differently", head.location, hint)
            if head.defaults and old.defaults:
                hint = f"they stand in line {old.span.line} already"
                what = f"the default values of `{head.name}` are given twice"
                raise CompileError(what, head.defaults[0].span, hint)
            words = head.specifiers | (old.specifiers & {_LINKED})
            inherited = {
                name: getattr(head, name) or getattr(old, name) for name in ("defaults", "cluster")
            }
            head = replace(head, specifiers=words, **inherited)
            self._file.replace(name, _replaced(meaning, old, head))
        else:
            self._file.declare(head.name, head)
        return head

    def _overload(
        self, head: Prototype, meaning: Prototype | FunctionTemplate | Overloads
    ) -> Prototype:
        """`head` as one more function of its name, kept by its name and parameters' types."""
        old = meaning.candidates if isinstance(meaning, Overloads) else (meaning,)
        heads = (head_of(c) if isinstance(c, FunctionTemplate) else c for c in old)
        for one in (head, *heads):
            if kind_of(one) == "__global__" or _LINKED in one.specifiers:
                which = "a kernel" if kind_of(one) == "__global__" else 'extern "C"'
                what = f"`{head.name}` is declared differently"
                hint = f"it was declared in line {meaning.span.line}; what is {which} has one form"
                raise CompileError(what, head.location, hint)
        types = ", ".join(written(p) for p in head.parameters)
        made = replace(head, name=f"{head.name}({types})")
        self._file.replace(head.name, Overloads((*old, made)))
        return made

    def _function(self, definition: Definition, outer: Scope, ends: bool = False) -> tree.Function:
        """Check a function; `ends` says that its end need not be looked at."""
        head = definition.head
        constructs = head.kind == "constructor"
        frame = Frame(
            head.name,
            kind_of(head),
            head.result,
            reference=head.refers,
            constructs=constructs,
        )
        scope = Scope(self._shared, outer, frame)
        for parameter in head.parameters:
            if parameter.name:
                scope.declare(parameter.name, parameter)
        if constructs:
            checked = objects.constructor_body(definition, scope)
        else:
            checked = body(definition.body, scope)
        checked = destructors.lowered(checked, head.parameters, scope)
        if has_auto(head.result):
            found = frame.returned[0] if frame.returned else VOID
            head = replace(head, result=found)
        if head.result != VOID and not ends and completes(checked):
            what = f"`{head.name}` can end without returning `{head.result}`"
            hint = "add a return at its end; a thread that comes there is a fault"
            self._shared.warnings.append(Diagnostic(what, head.location, hint))
            last = without_value(head.result, checked.span.ending("}"))
            checked = tree.Block((*checked.body, *last), span=checked.span)
        return tree.Function(
            head.name,
            kind_of(head),
            head.result,
            head.parameters,
            checked,
            kernel_attributes.most_threads(head.bounds, outer),
            "C" if _LINKED in head.specifiers else "",
            cluster=kernel_attributes.cluster(head.cluster, outer),
            constant="constexpr" in head.specifiers,
            span=definition.span,
        )


def _without_body(definition: Definition) -> tree.Function:
    """Return what a call must know of a function whose own check has failed."""
    head, nothing = definition.head, tree.Block((), span=definition.body.span)
    known = head.name, kind_of(head), head.result, head.parameters, nothing
    return tree.Function(*known, span=definition.span)


def _mark_circles(functions: Mapping[str, tree.Function]) -> None:
    """Mark all functions that call themselves through others: none of them can be inlined."""
    calls = {function: _callees(function) for function in functions.values()}
    for function in calls:
        waiting, seen = [function], set[tree.Function]()
        while waiting:
            new = calls.get(waiting.pop(), set()) - seen
            seen |= new
            waiting += new
        if function in seen:
            object.__setattr__(function, "recursive", True)


def _callees(function: tree.Function) -> set[tree.Function]:
    nodes = walk(function.body)
    return {n.function for n in nodes if isinstance(n, tree.Call) and n.function is not None}


def _check_launched(functions: Mapping[str, tree.Function]) -> None:
    """Refuse launches of kernels that are declared only."""
    for function in functions.values():
        for node in walk(function.body):
            if isinstance(node, tree.DeviceLaunch) and node.name not in functions:
                what = f"the kernel `{node.name}` is declared, but not defined"
                raise CompileError(what, node.span, "define it in this program")


def _shape(head: Prototype) -> tuple[str, CType, list[tuple[CType, bool, bool]]]:
    return kind_of(head), head.result, _types(head)


def _types(head: Prototype) -> list[tuple[CType, bool, bool]]:
    """Return what tells functions of one name apart: types, references, and those to constants."""
    return [(p.type, p.reference, p.reference and p.const) for p in head.parameters]


def _same(head: Prototype, meaning: Meaning | None) -> Prototype | None:
    """Return the function of the same parameters that was declared before."""
    old = meaning.candidates if isinstance(meaning, Overloads) else (meaning,)
    heads = (one for one in old if isinstance(one, Prototype))
    return next((one for one in heads if _types(one) == _types(head)), None)


def _replaced(meaning: Meaning | None, old: Prototype, head: Prototype) -> Meaning:
    """Return the meaning of a name of whose functions one has been declared again."""
    if not isinstance(meaning, Overloads):
        return head
    return Overloads(tuple(head if one is old else one for one in meaning.candidates))
