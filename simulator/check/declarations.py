"""Check variables, shared ones and references: their specifiers, types and initial values."""

from __future__ import annotations

from dataclasses import replace

from simulator.check.constants import array_of, evaluated
from simulator.check.declared_types import (
    CONSTANT_LENGTH,
    complete,
    deduced,
    element,
    has_auto,
    resolved,
)
from simulator.check.initializers import (
    copied,
    elements,
    first_size,
    first_value,
    from_list,
    is_constructed,
    needs_values,
    rows,
    sets_values,
)
from simulator.check.scopes import (
    FunctionTemplate,
    Scope,
    Substitute,
    adapted,
    as_base,
    constant_of,
    expression,
    plain_name,
    value,
)
from simulator.check.structures import MOST_ALIGNMENT, alignment, member_of, names_in
from simulator.ir import tree
from simulator.ir.conversions import (
    as_lvalue,
    as_value,
    bits_of,
    check_group,
    convert,
    is_const,
    is_lvalue,
)
from simulator.ir.tree import walk
from simulator.ir.types import (
    DIM3,
    SHARED_ALIGNMENT,
    VOID,
    Array,
    CType,
    Pointer,
    Scalar,
    Struct,
    size_of,
)
from simulator.ir.unchecked import (
    Checked,
    Constructed,
    Direct,
    Forwarded,
    InitializerList,
    Prototype,
    Variable,
)
from simulator.source import CompileError, Diagnostic

# Check local references: other names for a variable, an element or a member.


def reference(node: Variable, scope: Scope) -> tree.Declaration:
    """`T &name = lvalue;`. A const reference to a mere value is a constant of its own."""
    name = node.symbol.name
    first = node.value
    if first is None and node.values is not None and len(node.values) == 1:
        first = node.values[0]
    if first is None or isinstance(first, InitializerList):
        raise CompileError(f"the reference `{name}` needs something to refer to", node.span)
    target = as_lvalue(expression(first, scope))
    ctype = _type(node, target, scope)
    if isinstance(ctype, Struct):
        target = as_base(target, ctype, scope)
    named = is_lvalue(target) and bits_of(target) is None
    if named and target.type == ctype and not _is_literal(target, scope):
        return _bound(node, target, ctype, scope)
    if not node.symbol.const:
        what = f"`{name}` cannot refer to `{target.span.text}` of type `{target.type}`"
        hint = f"refer to a variable of type `{ctype}`, or make the reference const"
        raise CompileError(what, target.span, hint)
    given = adapted(as_value(target), ctype, scope)
    value = convert(given, ctype, f"the first value of `{name}`")
    symbol = replace(node.symbol, type=ctype, reference=False)
    scope.declare(name, symbol)
    return tree.Declaration(symbol, value, span=node.span)


def _bound(node: Variable, target: tree.Expression, ctype: CType, scope: Scope) -> tree.Declaration:
    if is_const(target) and not node.symbol.const:
        what = f"`{node.symbol.name}` would change `{target.span.text}`, which is const"
        raise CompileError(what, target.span, "make the reference const")
    symbol = replace(node.symbol, type=ctype)
    scope.declare(symbol.name, symbol)
    return tree.Declaration(symbol, target, span=node.span)


def _type(node: Variable, target: tree.Expression, scope: Scope) -> CType:
    """Return what the reference refers to."""
    pattern = node.symbol.type
    ctype = target.type if has_auto(pattern) else resolved(pattern, scope, node.symbol.span)
    if has_auto(pattern) and deduced(pattern, target.type) != target.type:
        raise CompileError(f"`{pattern}` does not match `{target.type}`", node.span)
    if not isinstance(ctype, Scalar | Pointer | Struct | Array):
        what = f"references to `{ctype}` are not supported"
        raise CompileError(what, node.symbol.span, "use a pointer to the first element")
    return ctype


def _is_literal(node: tree.Expression, scope: Scope) -> bool:
    """Whether `node` names a constant that stands for its value."""
    return isinstance(node, tree.Name) and node.symbol in scope.shared.constants


# Check shared variables: those outside functions, and that `extern` ones of a name agree.


_NOT_HERE = frozenset(
    "register inline __inline__ __forceinline__ __noinline__ __host__".split()
) | {"__constant__", "__managed__", "__global__", "constexpr"}


def outer_shared(node: Variable) -> Variable:
    """Give a shared variable outside functions the specifiers that one in a function may have."""
    symbol = node.symbol
    for word in sorted(node.specifiers & _NOT_HERE):
        what = f"`{word}` cannot stand before the shared variable `{symbol.name}`"
        raise CompileError(what, symbol.span, f"leave `{word}` out")
    if symbol.reference or has_auto(symbol.type):
        what = f"`{symbol.name}` needs a type of its own"
        raise CompileError(what, symbol.span, "write the type, without `&` and `auto`")
    if symbol.const and "extern" not in node.specifiers:
        raise CompileError(f"the constant `{symbol.name}` needs a value", node.span)
    return replace(node, specifiers=node.specifiers - {"__device__", "static"})


def agreed(symbol: tree.Symbol, scope: Scope) -> tree.Symbol:
    """Return an `extern` shared array, or the same one as it was declared in the file before.

    Its name is the file's, or its namespace's, even in functions, and has one type.
    """
    name = _whole_name(symbol.name, scope)
    old = scope.shared.dynamic.setdefault(name, symbol)
    if old is not symbol and _kind(old) != _kind(symbol):
        what = f"`{symbol.name}` is `{_named(symbol)}` here, and `{_named(old)}` in line "
        hint = (
            "dynamic shared memory of one name has one type in the whole file: choose another name,"
            "\nor cast: `T *values = (T *)bytes;`; all of it begins at the same place"
        )
        raise CompileError(f"{what}{old.span.line}", symbol.span, hint)
    outer = scope.outermost.here(name)
    if isinstance(outer, Prototype | FunctionTemplate):
        hint = f"it was declared in line {outer.span.line}; choose another name"
        raise CompileError(f"`{symbol.name}` is a function, too", symbol.span, hint)
    return old if scope.frame is None and outer is old else symbol


def _whole_name(name: str, scope: Scope) -> str:
    if scope.frame is None:
        return name
    path, separator, _ = plain_name(scope.frame.name).partition("<")[0].rpartition("::")
    return f"{path}{separator}{name}"


def _kind(symbol: tree.Symbol) -> tuple[object, bool, bool]:
    return symbol.type, symbol.const, symbol.volatile


def _named(symbol: tree.Symbol) -> str:
    return f"{'const ' * symbol.const}{'volatile ' * symbol.volatile}{symbol.type}"


MOST_LOCAL_BYTES = 512 * 1024

_MEMORY_WORDS = {
    "__constant__": "move it out of the function",
    "__device__": "move it out of the function",
    "__managed__": "pass a pointer to global memory",
    "__global__": "only functions are __global__",
    "__grid_constant__": "only a kernel's parameters are __grid_constant__",
    "__host__": "device code has no host variables",
    "__forceinline__": "only functions are inline",
    "__noinline__": "only functions are inline",
    "__inline__": "only functions are inline",
    "inline": "only functions are inline",
}


def variable(node: Variable, scope: Scope) -> tree.Declaration:
    """Check a variable declared in a function."""
    check_specifiers(node)
    if isinstance(node.symbol.type, Forwarded):
        node = _forwarded(plain(node), node.symbol.type, scope)
    if node.symbol.reference:
        return reference(plain(node), scope)
    if has_auto(node.symbol.type):
        return _auto(plain(node), scope)
    return typed(node, scope)


def _forwarded(node: Variable, ctype: Forwarded, scope: Scope) -> Variable:
    """Return `auto &&name = value;` as a reference to what has an address, or a value."""
    if node.value is None:
        what = f"the reference `{node.symbol.name}` needs something to refer to"
        raise CompileError(what, node.span)
    first = as_lvalue(expression(node.value, scope))
    refers = is_lvalue(first) and not _is_literal(first, scope)
    if refers and not has_auto(ctype.of):
        what = f"`{ctype}` cannot refer to `{first.span.text}`, which has an address"
        raise CompileError(what, node.symbol.span, "write one `&`")
    const = node.symbol.const or (refers and is_const(first))
    symbol = replace(node.symbol, type=ctype.of, reference=refers, const=const)
    return replace(node, symbol=symbol, value=Checked(first, span=first.span, type=first.type))


def plain(node: Variable) -> Variable:
    """Return `T name(value)` as `T name = value`, which it is but for classes."""
    if isinstance(node.value, Direct) and len(node.value.values) == 1:
        return replace(node, value=node.value.values[0])
    return node


def typed(node: Variable, scope: Scope) -> tree.Declaration:
    """Return a variable whose specifiers are checked, and whose type is written."""
    align = _alignment(node, scope)
    ctype = complete(_definite(node, scope), node.symbol.span)
    if ctype not in scope.shared.classes:
        node = plain(node)
    symbol = replace(_symbol(node, _length_from_list(node, ctype, scope)), align=align)
    if "extern" in node.specifiers and (old := agreed(symbol, scope)) is not symbol:
        return tree.Declaration(old, span=node.span)
    scope.declare(symbol.name, symbol)
    if symbol.name.startswith("<"):
        _declare_members(symbol, scope)
    if isinstance(symbol.type, Array):
        values = _array_values(node, symbol.type, scope)
        if symbol.const and "constexpr" in node.specifiers and values is not None:
            values = _constant_values(node, symbol, values, scope)
        return tree.Declaration(symbol, None, values, span=node.span)
    return _with_value(node, symbol, _scalar_value(node, symbol, scope), scope)


def _declare_members(symbol: tree.Symbol, scope: Scope) -> None:
    """Declare the members of a union without a name, by which it is called."""
    whole = tree.Name(symbol.name, symbol, span=symbol.span, type=symbol.type)
    for name in names_in(symbol.type):
        scope.declare(name, Substitute(member_of(whole, name, symbol.span), symbol.span))


def _constant_values(
    node: Variable, symbol: tree.Symbol, values: tuple[tree.Expression, ...], scope: Scope
) -> tuple[tree.Expression, ...]:
    """Return the values of a `constexpr` array, and keep them for other constants."""
    found = [constant_of(value, scope) for value in values]
    made = tuple(value for value in found if value is not None)
    if len(made) < len(values):
        what = f"the value of `{symbol.name}` is not constant"
        raise CompileError(what, values[found.index(None)].span, "make it const only")
    parts = [evaluated(value, scope.shared.constants, {}) for value in made]
    scope.shared.objects[symbol] = array_of(symbol.type, parts)
    return made


def _alignment(node: Variable, scope: Scope) -> int:
    """Return what `__align__` asks for; threads' own variables cannot ask."""
    if node.alignments and node.symbol.storage is tree.Storage.LOCAL:
        what = f"the alignment of the local variable `{node.symbol.name}` cannot be chosen"
        hint = "align its structure's type, or use a shared array"
        raise CompileError(what, node.alignments[0].span, hint)
    most = MOST_ALIGNMENT
    if node.symbol.storage is tree.Storage.SHARED:
        most = SHARED_ALIGNMENT
    return max((alignment(given, scope, most) for given in node.alignments), default=1)


def _definite(node: Variable, scope: Scope) -> CType:
    """Return the declared type, or a hint for a shared array whose length only the launch knows."""
    try:
        return resolved(node.symbol.type, scope, node.symbol.span)
    except CompileError as error:
        if node.symbol.storage is not tree.Storage.SHARED or error.hint != CONSTANT_LENGTH:
            raise
        dynamic = f"or let the launch choose it: `extern __shared__ T {node.symbol.name}[];`"
        raise CompileError(error.message, error.span, f"{error.hint},\n{dynamic}") from None


def check_specifiers(node: Variable) -> None:
    """Refuse specifiers that cannot stand before a variable in a function."""
    shared = node.symbol.storage is tree.Storage.SHARED
    for word, remedy in _MEMORY_WORDS.items():
        if word in node.specifiers and not (shared and word == "__device__"):
            inside = " in functions" if remedy.startswith("move") else ""
            what = f"`{word}` variables{inside} are not supported"
            raise CompileError(what, node.symbol.span, remedy)
    if "extern" in node.specifiers and not shared:
        name = node.symbol.name
        dynamic = f"for dynamic shared memory, write `extern __shared__ T {name}[];`"
        hint = dynamic if isinstance(node.symbol.type, Array) else "pass a parameter"
        raise CompileError("extern variables are not supported", node.symbol.span, hint)
    if "static" in node.specifiers and not shared and not node.symbol.const:
        hint = "pass a pointer to global memory"
        raise CompileError("static variables are not supported", node.symbol.span, hint)
    if node.symbol.reference and (shared or node.symbol.storage is not tree.Storage.LOCAL):
        hint = "use a pointer"
        raise CompileError("references in memory are not supported", node.symbol.span, hint)
    if shared and (node.value is not None or node.values is not None):
        what = f"the shared variable `{node.symbol.name}` cannot have a first value"
        hint = "assign it in one thread, then __syncthreads()"
        raise CompileError(what, node.symbol.span, hint)


def _symbol(node: Variable, ctype: CType) -> tree.Symbol:
    """Return the variable with its definite type, which must be one that a variable can have."""
    symbol, unsized = node.symbol, isinstance(ctype, Array) and ctype.length is None
    if ctype == VOID:
        hint = "write a type that has values, such as `int`"
        raise CompileError(f"`{symbol.name}` cannot be void", symbol.span, hint)
    if "extern" in node.specifiers and not unsized:
        hint = f"write `extern __shared__ T {symbol.name}[];`"
        raise CompileError("extern shared memory is an array without a length", symbol.span, hint)
    if unsized and "extern" not in node.specifiers:
        shared = symbol.storage is tree.Storage.SHARED
        hint = "write a constant in its brackets" + (
            f", or `extern __shared__ T {symbol.name}[];` to choose it at the launch" * shared
        )
        raise CompileError(f"the array `{symbol.name}` needs a length", symbol.span, hint)
    if symbol.storage is tree.Storage.LOCAL and size_of(ctype) > MOST_LOCAL_BYTES:
        hint = "a thread has 512 KB of local memory: use global memory"
        what = f"the array `{symbol.name}` takes {size_of(ctype):,} bytes"
        raise CompileError(what, symbol.span, hint)
    if element(ctype) == DIM3 and (ctype != DIM3 or symbol.storage is not tree.Storage.LOCAL):
        what = f"`{symbol}`: a `dim3` is supported as a local variable only"
        raise CompileError(what, symbol.span, "keep x, y and z in arrays of numbers")
    return replace(symbol, type=ctype)


def _length_from_list(node: Variable, ctype: CType, scope: Scope) -> CType:
    """Give an array without a length that of its list."""
    if isinstance(ctype, Array) and ctype.length is None and node.values:
        if isinstance(element(ctype), Struct):
            values = InitializerList(node.values, span=node.span)
            return Array(ctype.of, rows(values, ctype.of, scope))
        nested = isinstance(node.values[0], InitializerList) or not isinstance(ctype.of, Array)
        per_row = 1 if nested else size_of(ctype.of) // size_of(element(ctype))
        return Array(ctype.of, -(-len(node.values) // per_row))
    return ctype


def _auto(node: Variable, scope: Scope) -> tree.Declaration:
    if node.value is None:
        hint = f"write `auto {node.symbol.name} = …;`, or a type in place of auto"
        raise CompileError(f"`auto {node.symbol.name}` needs a value", node.symbol.span, hint)
    first = value(node.value, scope)
    ctype = deduced(node.symbol.type, first.type)
    if ctype is None:
        raise CompileError(f"`{node.symbol.type}` does not match `{first.type}`", node.span)
    symbol = replace(node.symbol, type=ctype)
    scope.declare(symbol.name, symbol)
    return _with_value(node, symbol, convert(copied(first, scope), ctype, "the first value"), scope)


def _scalar_value(node: Variable, symbol: tree.Symbol, scope: Scope) -> tree.Expression | None:
    if symbol.type == DIM3:
        return first_size(node, symbol, scope)
    what = f"the first value of `{symbol.name}`"
    if node.values is None and node.value is None:
        return _without_values(node, symbol.type, scope)
    if node.values is None:
        assert node.value is not None
        return first_value(node.value, symbol.type, what, scope)
    if not isinstance(symbol.type, Struct) and (
        len(node.values) > 1 or any(isinstance(v, InitializerList) for v in node.values)
    ):
        raise CompileError(f"`{symbol.name}` takes one value", node.span)
    return from_list(InitializerList(node.values, span=node.span), symbol.type, scope)


def _without_values(node: Variable, ctype: CType, scope: Scope) -> tree.Expression | None:
    """Return what a thread's own object is made of where nothing is given."""
    if node.symbol.storage is tree.Storage.SHARED:
        _warn_of_shared(node, ctype, scope)
        return None
    if node.symbol.storage is not tree.Storage.LOCAL and not sets_values(ctype, scope):
        return None
    if not is_constructed(ctype, scope) and not needs_values(ctype, scope):
        return None
    return value(Constructed(ctype, (), span=node.symbol.span), scope)


def _warn_of_shared(node: Variable, ctype: CType, scope: Scope) -> None:
    """Warn of shared objects whose constructors do something: no thread calls them."""
    if "extern" not in node.specifiers and sets_values(element(ctype), scope):
        what = f"no thread makes the shared `{node.symbol.name}`: it begins with nonsense"
        hint = "let one thread assign a value, then __syncthreads()"
        scope.shared.warnings.append(Diagnostic(what, node.symbol.span, hint))


def _with_value(
    node: Variable, symbol: tree.Symbol, first: tree.Expression | None, scope: Scope
) -> tree.Declaration:
    """Return the declaration; a constant with a literal value stands for that value from now on."""
    check_group(symbol, first)
    for used in walk(first) if first is not None else ():
        if isinstance(used, tree.Name) and used.symbol is symbol:
            what = f"`{symbol.name}` stands in its own first value"
            raise CompileError(what, used.span, "give it a value before it is used")
    empty = isinstance(symbol.type, Struct) and not symbol.type.members
    if first is None and symbol.const and symbol.storage is tree.Storage.LOCAL and not empty:
        what = f"the constant `{symbol.name}` needs a value"
        raise CompileError(what, symbol.span, "write it behind `=`")
    if first is not None and symbol.const and not isinstance(first, tree.Literal):
        first = _constant(node, first, scope)
    if symbol.const and isinstance(symbol.type, Scalar) and isinstance(first, tree.Literal):
        scope.shared.constants[symbol] = first
    elif isinstance(first, tree.Aggregate) and "constexpr" in node.specifiers:
        scope.shared.objects[symbol] = evaluated(first, scope.shared.constants, {})
    elif node.specifiers & {"constexpr", "static"} and not isinstance(first, tree.Literal | None):
        what = f"the value of `{symbol.name}` is not constant"
        raise CompileError(what, node.span, "make it const only")
    return tree.Declaration(symbol, first, span=node.span)


def _constant(node: Variable, first: tree.Expression, scope: Scope) -> tree.Expression:
    """Return the first value of a constant: what `constexpr` functions make, if they are called."""
    if "constexpr" in node.specifiers:
        return constant_of(first, scope) or first
    calls = (one.function for one in walk(first) if isinstance(one, tree.Call))
    if any(function is not None and function.constant for function in calls):
        try:
            return constant_of(first, scope) or first
        except CompileError:
            return first
    return first


def _array_values(node: Variable, ctype: Array, scope: Scope) -> tuple[tree.Expression, ...] | None:
    """Return the first values, row by row; what is left out at the end of the array is zero."""
    if node.value is not None:
        hint = "write `= {…}`"
        raise CompileError(f"the array `{node.symbol.name}` needs a list", node.value.span, hint)
    if node.values is None and _without_values(node, element(ctype), scope) is not None:
        count = size_of(ctype) // size_of(element(ctype))
        made = (_without_values(node, element(ctype), scope) for _ in range(count))
        return tuple(one for one in made if one is not None)
    if node.values is None:
        if node.symbol.const and node.symbol.storage is tree.Storage.LOCAL:
            raise CompileError(f"the constant `{node.symbol.name}` needs values", node.span)
        return None
    values = InitializerList(node.values, span=node.span)
    if isinstance(element(ctype), Struct):
        return tuple(elements(values, ctype, scope))
    return _row(values, ctype, scope)


def _row(values: InitializerList, ctype: Array, scope: Scope) -> tuple[tree.Expression, ...]:
    of, base = ctype.of, element(ctype)
    total = size_of(ctype) // size_of(base)
    row: list[tree.Expression] = []
    for node in values.values:
        if isinstance(node, InitializerList):
            if not isinstance(of, Array):
                raise CompileError("a list stands where one value is needed", node.span)
            inner = _row(node, of, scope)
            zeros = size_of(of) // size_of(base) - len(inner)
            row += [*inner, *(tree.Literal(0, span=node.span, type=base) for _ in range(zeros))]
        else:
            row.append(first_value(node, base, "this value", scope))
    if len(row) > total:
        hint = f"it has {total} elements: leave out the others, or make it longer"
        raise CompileError(f"{len(row)} values do not fit `{ctype}`", row[total].span, hint)
    return tuple(row)


def outer_constant(node: Variable, scope: Scope) -> None:
    """Check a variable declared outside all functions, which must be a scalar constant."""
    symbol = node.symbol
    check_specifiers(node)
    if not symbol.const or isinstance(symbol.type, Array):
        hint = "write `__device__` or `__constant__` before it; or `constexpr int NAME = …;`"
        what = f"the global variable `{symbol.name}` is not supported"
        raise CompileError(what, symbol.span, hint)
    checked = variable(replace(node, symbol=replace(symbol, storage=tree.Storage.LITERAL)), scope)
    if checked.symbol not in scope.shared.constants:
        hint = "write `__constant__` before it; without it, only numbers can be global"
        raise CompileError(f"the value of `{symbol.name}` is not constant", node.span, hint)
