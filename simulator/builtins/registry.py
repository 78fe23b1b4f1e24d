"""The built-in functions that there are, by name; rows can be added from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from simulator.builtins.lowerings import Composite, Elementwise, Lowering
from simulator.builtins.overloads import Overloads
from simulator.builtins.row import Row
from simulator.ir import tree
from simulator.ir.additions import ADDED
from simulator.ir.types import CType

#: Every built-in function by the name that programs call it.
ROWS: dict[str, Row] = {}
#: The lowering of each of them, and of the calls that only the checker makes.
LOWERINGS: dict[str, Lowering] = {}

Function = TypeVar("Function", bound=Callable[..., Any])


def add(row: Row, *, replace: bool = False) -> None:
    """Add a built-in function, which programs that are compiled from now on can call.

    Parameters
    ----------
    row : Row
        What there is to say of it.
    replace : bool, default False
        Whether it may take the name of another one, such as an earlier version of itself.

    Raises
    ------
    ValueError
        If there is a function of this name (but for the same one of a file that is read again), if
        the signature cannot be read, or if the NumPy code does not take the arguments.

    See Also
    --------
    function : The same as a decorator, for functions of values alone.

    Examples
    --------
    Across the lanes of a warp, the value of the lane whose number is the next one, round and round:

    >>> import numpy as np
    >>> import simulator
    >>> from simulator import builtins
    >>> from simulator.lanes.warp import shuffle
    >>> def rotate(lanes, size, mask, value):
    ...     return shuffle(lanes, size, mask, value, lanes + 1, np.int32(size))
    >>> signature = "int rotate_sync(unsigned mask, int value)"
    >>> builtins.add(builtins.Row(signature, builtins.WarpFunction(rotate)))
    >>> code = '''extern "C" __global__ void k(int *a) {
    ...   a[threadIdx.x] = rotate_sync(0xffffffff, a[threadIdx.x]);
    ... }'''
    >>> a = simulator.arange(32, dtype="int32")
    >>> simulator.RawKernel(code, "k")((1,), (32,), (a,))
    >>> a.get()[[0, 1, 31]].tolist()
    [1, 2, 0]
    """
    if not isinstance(row, Row):
        raise ValueError(f"{row!r} is no row; write Row(signature, lowering)")
    row.verify()
    if row.name in ROWS and not (replace or _again(row, ROWS[row.name])):
        what = f"there is a built-in function `{row.name}` already: `{ROWS[row.name].signature}`"
        raise ValueError(f"{what}; take another name, or pass replace=True")
    ADDED.rows += 1
    bring([row])


def _again(row: Row, known: Row) -> bool:
    """Whether two rows are of one function in one file, which was read twice.

    Of two functions in one reading of a file, which have the same globals, neither is the other.
    """
    made, before = (getattr(r.lowering, "code", None) for r in (row, known))
    codes = [getattr(function, "__code__", None) for function in (made, before)]
    one, other = ((code.co_filename, code.co_qualname) if code else None for code in codes)
    if one is None or one != other or row.signature != known.signature:
        return False
    lines = {code.co_firstlineno for code in codes if code}
    return len(lines) == 1 or made.__globals__ is not before.__globals__  # type: ignore[union-attr]


def function(signature: str, *, replace: bool = False) -> Callable[[Function], Function]:
    """Make a built-in function of a Python function of arrays.

    Parameters
    ----------
    signature : str
        The function's head in C, without overloads: `"unsigned __brev(unsigned x)"`.
    replace : bool, default False
        Whether it may take the name of another one.

    Returns
    -------
    callable
        A decorator, which returns the function as it is. The function is called with an array for
        each argument, one element for each active lane, or one element where all lanes have the
        same arguments; it returns such an array, which is converted to the signature's type.

    Raises
    ------
    ValueError
        As `add` does.

    Examples
    --------
    >>> import simulator
    >>> from simulator import builtins
    >>> @builtins.function("unsigned gray_code(unsigned x)")
    ... def gray_code(x):
    ...     return x ^ (x >> 1)
    >>> code = '''extern "C" __global__ void k(unsigned *a) {
    ...   a[threadIdx.x] = gray_code(a[threadIdx.x]);
    ... }'''
    >>> a = simulator.arange(6, dtype="uint32")
    >>> simulator.RawKernel(code, "k")((1,), (6,), (a,))
    >>> a.get().tolist()
    [0, 1, 3, 2, 6, 7]
    """
    if callable(signature):
        hint = 'write @builtins.function("int name(int x)")'
        raise ValueError(f"@builtins.function is used without parentheses; {hint}")

    def added(code: Function) -> Function:
        add(Row(signature, Elementwise(code)), replace=replace)
        return code

    return added


def bring(rows: Iterable[Row], calls: Mapping[str, Lowering] | None = None) -> None:
    """Register rows, and the lowerings of calls that only the checker makes, by their names."""
    for row in rows:
        ROWS[row.name] = row
        for one in row.rows if isinstance(row, Overloads) else (row,):
            LOWERINGS[one.key] = one.lowering
    LOWERINGS.update(calls or {})


def version() -> int:
    """Return how often a row has been added: what is kept of a program holds for one version."""
    return ADDED.rows


def operator_of(op: str, ctype: CType) -> Composite:
    """Return how an operator of two values of one type is compiled, where a row has it."""
    how = LOWERINGS[f"operator{op}({ctype}, {ctype})"]
    assert isinstance(how, Composite)
    return how


def lowering_of(node: tree.Node) -> Lowering | None:
    """Return how a call is compiled; None for other nodes, and for calls of device functions."""
    if not isinstance(node, tree.Call) or node.function is not None:
        return None
    return LOWERINGS.get(node.name)
