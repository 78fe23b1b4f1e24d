"""What stands before a kernel besides its type: `__launch_bounds__` and `__cluster_dims__`."""

from __future__ import annotations

from simulator.check.scopes import Scope, constant
from simulator.ir import tree
from simulator.source import CompileError

#: Blocks of a cluster at most, as every GPU with clusters has them. More need an attribute of the
#: kernel that CuPy cannot set (cudaFuncAttributeNonPortableClusterSizeAllowed).
MOST_BLOCKS = 8


def most_threads(bounds: tuple[tree.Expression, ...], scope: Scope) -> int | None:
    """Return the most threads of a block that `__launch_bounds__(…)` promises.

    Raises
    ------
    CompileError
        if that is no constant number
    """
    if not bounds:
        return None
    return _positive(bounds[0], "__launch_bounds__ needs a constant number of threads", scope)


def cluster(dimensions: tuple[tree.Expression, ...], scope: Scope) -> tuple[int, int, int] | None:
    """Return the blocks of a cluster along x, y and z, as `__cluster_dims__(…)` says.

    Raises
    ------
    CompileError
        if they are not one to three constants, or too many blocks
    """
    if not dimensions:
        return None
    whole = dimensions[0].span.to(dimensions[-1].span)
    if len(dimensions) > 3:
        what = f"`__cluster_dims__` takes 1 to 3 numbers, not {len(dimensions)}"
        raise CompileError(what, whole, "blocks along x, y and z")
    what = "__cluster_dims__ needs constant numbers of blocks"
    x, y, z = (*(_positive(size, what, scope) for size in dimensions), 1, 1)[:3]
    if x * y * z > MOST_BLOCKS:
        what = f"a cluster of {x * y * z:,} blocks is not supported"
        hint = (
            f"it has {MOST_BLOCKS} blocks at most: 16 need the attribute "
            "NonPortableClusterSizeAllowed,\nwhich CuPy does not set"
        )
        raise CompileError(what, whole, hint)
    return x, y, z


def _positive(node: tree.Expression, what: str, scope: Scope) -> int:
    found = constant(node, scope)
    if found is None or not isinstance(found.value, int) or found.value <= 0:
        raise CompileError(what, node.span)
    return found.value
