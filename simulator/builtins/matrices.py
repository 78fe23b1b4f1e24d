"""Matrices that a warp holds together, of `mma.h`: loads, stores and products of fragments."""

from __future__ import annotations

from simulator.builtins.lowerings import (
    Elementwise,
    Lowering,
    MatrixFill,
    MatrixLoad,
    MatrixProduct,
    MatrixStore,
)
from simulator.builtins.row import Arguments, Row, surplus
from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.conversions import cast, is_const, is_lvalue, variable_in
from simulator.ir.matrices import (
    ACCUMULATOR,
    FACTORS,
    MATRIX_HEADER,
    WMMA,
    A,
    B,
    Fragment,
    fragment_of,
    written,
)
from simulator.ir.types import BOOL, INT, UINT, VOID, Array, CType, Pointer, Struct
from simulator.lanes.matrices import to_tf32
from simulator.source import CompileError, Span

#: The product that keeps integers within their type.
_SATURATING = "multiply matrices, saturating"


#: Where the variables of a thread live.
_OWN = (tree.Storage.LOCAL, tree.Storage.PARAMETER)


class _OfFragments(Row):
    """A function of fragments, which are given as variables."""

    @property
    def key(self) -> str:
        """By what checked calls know it: its name."""
        return self.name

    def _number_of(self, arguments: Arguments, wanted: int, most: int, span: Span) -> None:
        """Refuse another number of arguments."""
        if not wanted <= len(arguments) <= most:
            shown = str(wanted) if wanted == most else f"{wanted} or {most}"
            at = surplus(arguments, most, span)
            raise self._error(f"takes {shown} arguments here, not {len(arguments)}", at)

    def _fragment(self, argument: tree.Expression, *uses: str, sets: bool = False) -> Fragment:
        """Return which fragment a variable is, of one of some uses."""
        found = fragment_of(argument.type)
        if found is None or (uses and found.use not in uses):
            wanted = f"a fragment of `{uses[0]}`" if uses else "a fragment"
            given = f"`{argument.type}`" if found is None else f"of `{found.use}`"
            what = f"takes {wanted} here, not {given}"
            raise self._error(what, argument.span)
        if not found.exists:
            raise CompileError(f"CUDA has no `{found}`", argument.span, _remedy(found))
        if not is_lvalue(argument):
            hint = "store it in a variable first"
            raise self._error("takes fragments that are variables", argument.span, hint)
        if sets and is_const(argument):
            raise self._error("cannot change this fragment", argument.span, "remove the const")
        symbol = variable_in(argument)
        if symbol is not None and symbol.storage not in _OWN:
            what = f"the fragment `{symbol.name}` is not a variable of the threads' own"
            hint = "declare it in the function, without `__shared__` or `__device__`"
            raise CompileError(what, argument.span, hint)
        return found

    def _error(self, what: str, span: Span, hint: str = "") -> CompileError:
        signature = self.signature.replace(f"{WMMA}::", "")
        name = self.name.rpartition("::")[2]
        return CompileError(f"`{name}` {what}", span, hint or f"it is `{signature}`")

    def _pointer(
        self, argument: tree.Expression, fragment: tree.Expression, const: bool
    ) -> tree.Expression:
        """Return the pointer to a matrix, which must be to what the fragment holds."""
        return self._converted(argument, Pointer(held_type(fragment.type), const))


def held_type(ctype: CType) -> CType:
    """Return the type of the numbers that a fragment holds."""
    assert isinstance(ctype, Struct)
    found = ctype.member("x")
    assert found is not None
    assert isinstance(found[0], Array)
    return found[0].of


def _remedy(fragment: Fragment) -> str:
    """Return what there is instead of a fragment that is none of CUDA's."""
    number = fragment.number
    if number == "char":
        return "write `signed char` or `unsigned char`"
    if fragment.use == ACCUMULATOR:
        shapes = {s for found, sums in FACTORS.values() if number in sums for s in found}
        others = {one for _, sums in FACTORS.values() for one in sums}
    else:
        shapes, others = set(FACTORS.get(number, ((), ()))[0]), set(FACTORS)
    if not shapes:
        return f"there are those of {', '.join(sorted(map(written, others)))}"
    if fragment.shape not in shapes:
        known = ", ".join("x".join(map(str, shape)) for shape in sorted(shapes))
        return f"of {written(number)} there are {known}"
    if fragment.use == ACCUMULATOR:
        return "a sum has no layout: calls say how it lies in memory"
    return "say how it lies in memory: `row_major` or `col_major`"


class _Fill(_OfFragments):
    """A fragment, and the number that each of its elements becomes."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._number_of(arguments, 2, 2, span)
        target, given = arguments
        self._fragment(target, sets=True)
        return self._called((target, self._converted(given, held_type(target.type))), VOID, span)


class _Load(_OfFragments):
    """A fragment, a pointer, how far lines lie apart, and of sums how they lie in memory."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._number_of(arguments, 3, 4, span)
        target, pointer, ldm, *layout = arguments
        found = self._fragment(target, sets=True)
        many = 4 if found.use == ACCUMULATOR else 3
        if len(arguments) != many:
            hint = "the type of the fragment says how it lies in memory"
            hint = (
                "say how it lies in memory: mem_row_major or mem_col_major" if many == 4 else hint
            )
            at = surplus(arguments, many, span)
            raise self._error(f"takes {many} arguments for `{found.use}`", at, hint)
        rest = (self._converted(one, INT) for one in layout)
        source = self._pointer(pointer, target, True)
        return self._called((target, source, self._converted(ldm, UINT), *rest), VOID, span)


class _Store(_OfFragments):
    """A pointer, a sum, how far lines lie apart, and how they lie in memory."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._number_of(arguments, 4, 4, span)
        pointer, given, ldm, layout = arguments
        self._fragment(given, ACCUMULATOR)
        target = self._pointer(pointer, given, False)
        rest = self._converted(ldm, UINT), self._converted(layout, INT)
        return self._called((target, given, *rest), VOID, span)


class _Product(_OfFragments):
    """What is set, both factors, what is added, and of integers whether they saturate."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._number_of(arguments, 4, 5, span)
        d, a, b, c, *satf = arguments
        target, added = self._fragment(d, ACCUMULATOR, sets=True), self._fragment(c, ACCUMULATOR)
        left, right = self._fragment(a, A), self._fragment(b, B)
        self._fit(left, right, (target, added), arguments)
        if not satf:
            return self._called((d, a, b, c), VOID, span)
        if target.number != "int":
            hint = "only sums of integers saturate"
            what = f"takes 4 arguments where sums are {written(target.number)}"
            raise self._error(what, satf[0].span, hint)
        return self._saturating((d, a, b, c), satf[0], span)

    def _saturating(
        self, fragments: tuple[tree.Expression, ...], satf: tree.Expression, span: Span
    ) -> tree.Expression:
        """Return the product for `satf`, which is constant."""
        test = folded(cast(satf, BOOL))
        if not isinstance(test, tree.Literal):
            hint = "write true or false: which of the two decides about the instruction"
            raise self._error("needs a constant here", satf.span, hint)
        key = _SATURATING if test.value else self.key
        return tree.Call(key, fragments, span=span, type=VOID)

    def _fit(
        self, a: Fragment, b: Fragment, sums: tuple[Fragment, ...], arguments: Arguments
    ) -> None:
        """Refuse factors and sums that are of different products."""
        if (a.shape, a.number) != (b.shape, b.number):
            hint = "both have the same m, n, k and type"
            what = f"cannot multiply {a.product} by {b.product}"
            raise self._error(what, arguments[2].span, hint)
        for one, argument in zip(sums, (arguments[0], arguments[3]), strict=True):
            if one.shape != a.shape or one.number not in FACTORS[a.number][1]:
                totals = " or ".join(map(written, FACTORS[a.number][1]))
                hint = f"they add up in {totals}, in the same shape"
                what = f"has no sum {one.product} for factors {a.product}"
                raise self._error(what, argument.span, hint)


_LDM = "unsigned ldm"
ROWS: tuple[Row, ...] = (
    _Fill(f"void {WMMA}::fill_fragment(fragment &a, T value)", MatrixFill(), header=MATRIX_HEADER),
    _Load(
        f"void {WMMA}::load_matrix_sync(fragment &a, const T *p, {_LDM}, layout_t layout)",
        MatrixLoad(),
        header=MATRIX_HEADER,
    ),
    _Store(
        f"void {WMMA}::store_matrix_sync(T *p, fragment &a, {_LDM}, layout_t layout)",
        MatrixStore(),
        header=MATRIX_HEADER,
    ),
    _Product(
        f"void {WMMA}::mma_sync(fragment &d, fragment &a, fragment &b, fragment &c, bool satf)",
        MatrixProduct(),
        header=MATRIX_HEADER,
    ),
    Row(f"float {WMMA}::__float_to_tf32(float x)", Elementwise(to_tf32), header=MATRIX_HEADER),
)
CALLS: dict[str, Lowering] = {_SATURATING: MatrixProduct(saturates=True)}
