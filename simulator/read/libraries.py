"""The namespaces that come with headers: which of their names the simulator has, and which not."""

from __future__ import annotations

from collections.abc import Collection

from simulator.builtins import ROWS, textures
from simulator.builtins.overloads import Overloads
from simulator.hints.unsupported import STANDARD_SPACES, refuse_library
from simulator.ir.matrices import ACCUMULATOR, LAYOUTS, MATRIX_HEADER, WMMA, A, B
from simulator.ir.types import TYPE_ALIASES
from simulator.source import CompileError, Span

COMPLEX_HEADER = "cupy/complex.cuh"
HEADER = "cooperative_groups.h"
REDUCE_HEADER, SCAN_HEADER = "cooperative_groups/reduce.h", "cooperative_groups/scan.h"
COPY_HEADER = "cooperative_groups/memcpy_async.h"
#: Headers that bring `cuda::memcpy_async` and `cuda::aligned_size_t`, a number of bytes for it.
_ALIGNED_HEADERS = frozenset(["cuda/barrier", "cuda/pipeline"])
_MBARRIER = "cuda_awbarrier_primitives.h"
_HALF_HEADERS = _HALF, _BFLOAT16 = ("cuda_fp16.h", "cuda_bf16.h")
#: Headers that include others.
INCLUDE: dict[str, tuple[str, ...]] = {
    **{f"cooperative_groups/{name}.h": (HEADER,) for name in ("reduce", "scan")},
    **dict.fromkeys(["thrust/complex.h", "cupy/complex/complex.h"], (COMPLEX_HEADER,)),
    **dict.fromkeys(["cublas.h", "cublas_v2.h", "mma.h"], _HALF_HEADERS),
    "cupy/float16.cuh": (_HALF,),
    "cuda_pipeline_primitives.h": ("cuda_pipeline.h",),
    "cooperative_groups/memcpy_async.h": (HEADER, "cuda_pipeline.h"),
    "cupy/bfloat16.cuh": (_BFLOAT16,),
    "cuda/std/atomic": ("cuda/atomic",),
    "cuda_awbarrier.h": (_MBARRIER,),
    "cuda_awbarrier_helpers.h": (_MBARRIER,),
    "cuda/barrier": (_MBARRIER, "cuda/atomic"),
    "cuda/std/barrier": (_MBARRIER, "cuda/atomic", "cuda/barrier"),
    "cuda/pipeline": (_MBARRIER, "cuda/atomic", "cuda/barrier", "cuda_pipeline.h"),
}

#: The types of cooperative groups; `TILE` is a template.
GROUP_TYPES = frozenset(
    ["thread_block", "grid_group", "cluster_group", "thread_group", "coalesced_group"]
)
TILE = "thread_block_tile"
_GROUP_FUNCTIONS = frozenset(
    """this_thread_block this_cluster this_grid coalesced_threads tiled_partition sync thread_rank
    group_size binary_partition labeled_partition""".split()
)
#: The templates that name an operation, which reduce.h and scan.h add, and functions that take one.
OPERATIONS = frozenset(["plus", "less", "greater", "bit_and", "bit_or", "bit_xor"])
_SCANS = frozenset(["inclusive_scan", "exclusive_scan"])
_COPIES = frozenset(["memcpy_async", "wait", "wait_prior"])
_FUNCTIONS = _GROUP_FUNCTIONS | _SCANS | _COPIES | {"reduce"}
#: The headers of which one must be there for a name, but for `HEADER`.
_HEADERS = {
    "reduce": (REDUCE_HEADER,),
    **dict.fromkeys(_SCANS, (SCAN_HEADER,)),
    **dict.fromkeys(_COPIES, (COPY_HEADER,)),
    **dict.fromkeys(OPERATIONS, (REDUCE_HEADER, SCAN_HEADER)),
}
_TEMPLATES = OPERATIONS | {TILE}

_SCAN = "call inclusive_scan or exclusive_scan, and an atomic function"
_GROUPS_REFUSED = {
    **dict.fromkeys(["inclusive_scan_update", "exclusive_scan_update"], _SCAN),
    **dict.fromkeys(["reduce_store_async", "reduce_update_async"], "call reduce, then store"),
    **dict.fromkeys(
        ["invoke_one", "invoke_one_broadcast"], "write `if (group.thread_rank() == 0)`"
    ),
    "block_tile_memory": "tiles have 1 to 32 threads here",
    "experimental": "tiles have 1 to 32 threads here",
    "multi_grid_group": "a launch uses one device",
    "this_multi_grid": "a launch uses one device",
    "this_thread": "write the code of one thread without a group",
}

#: The template of complex numbers, which is there once its header is included.
COMPLEX = "complex"
#: Names of templates as the parser meets them.
TEMPLATE_TYPES = frozenset(f"cg::{name}" for name in _TEMPLATES)
TEMPLATE_FUNCTIONS = textures.TEMPLATES | {
    "cg::tiled_partition",
    "cg::wait_prior",
    "cg::aligned_size_t",
    "std::forward",
}

#: What the text of `mma.h` declares.
MATRIX_TYPES = frozenset(
    [
        *(f"{WMMA}::{name}" for name in ("fragment", "layout_t", A, B, ACCUMULATOR, *LAYOUTS)),
        *(f"{WMMA}::mem_{layout}" for layout in LAYOUTS),
        f"{WMMA}::precision::tf32",
    ]
)
#: Functions of <utility> that only say how a reference is passed on.
REFERENCES = frozenset(["forward", "move"])
_UTILITY = frozenset(["utility", "cuda/std/utility"])

#: The namespaces that programs use without declaring them.
LIBRARIES = frozenset(["std", "cooperative_groups", "cuda", "thrust", "cub", "nvcuda"])


#: What `cuda::` has for asynchronous copies.
_OF_COPIES = {"aligned_size_t": "cg::aligned_size_t", "memcpy_async": "cuda::memcpy_async"}


def library_name(space: str, name: str, span: Span, included: Collection[str]) -> str:
    """Return the one spelling of `space::name`."""
    if space in STANDARD_SPACES and _is_standard(name):
        return name
    if space in STANDARD_SPACES and name in REFERENCES and not _UTILITY.isdisjoint(included):
        return f"std::{name}"
    if space == "thrust" and _is_complex(name):
        return _complex_name(name, span, included)
    if (found := _of_matrices(space, name, span, included)) is not None:
        return found
    if space == "cuda" and name in _OF_COPIES and _has_aligned(included):
        return _OF_COPIES[name]
    if space != "cooperative_groups":
        refuse_library(space, name, span)
    if name in _GROUPS_REFUSED:
        what = f"`cooperative_groups::{name}` is not supported"
        raise CompileError(what, span, _GROUPS_REFUSED[name])
    if name not in GROUP_TYPES | _TEMPLATES | _FUNCTIONS:
        raise CompileError(f"cooperative groups have no `{name}`", span)
    headers = _HEADERS.get(name, (HEADER,))
    if not any(header in included for header in headers):
        what = f"`cooperative_groups::{name}` needs its header"
        raise CompileError(what, span, f"write `#include <{headers[0]}>`")
    return f"cg::{name}"


def _of_matrices(space: str, name: str, span: Span, included: Collection[str]) -> str | None:
    """Return the name of something of `mma.h`, None for others: its functions are built in."""
    whole = f"{space}::{name}"
    if whole not in MATRIX_TYPES and (whole not in ROWS or ROWS[whole].header != MATRIX_HEADER):
        return None
    if MATRIX_HEADER not in included:
        hint = f"write `#include <{MATRIX_HEADER}>`"
        raise CompileError(f"`{whole}` needs its header", span, hint)
    return whole


def _has_aligned(included: Collection[str]) -> bool:
    return any(header in included for header in _ALIGNED_HEADERS)


def _complex_name(name: str, span: Span, included: Collection[str]) -> str:
    """Return the name of something that `thrust::` has with its complex numbers."""
    if COMPLEX_HEADER not in included:
        what = f"`thrust::{name}` needs its header"
        raise CompileError(what, span, f"write `#include <{COMPLEX_HEADER}>`")
    return name


def _is_complex(name: str) -> bool:
    """Whether `thrust::` has the name with its complex numbers."""
    rows = ROWS.get(name)
    overloads = rows.rows if isinstance(rows, Overloads) else ()
    return name == COMPLEX or any(row.header == COMPLEX_HEADER for row in overloads)


def _is_standard(name: str) -> bool:
    """Whether `std::` has the name, which CUDA has by itself, too."""
    return name in TYPE_ALIASES or (name in ROWS and ROWS[name].standard)


def brought(space: str, name: str, after: str) -> bool:
    """Whether `using namespace` of a library's `space` gives `name` before `after` a meaning."""
    if space == WMMA:
        return f"{space}::{name}" in ROWS and after == "("
    if space != "cooperative_groups":
        return False
    if name in _TEMPLATES:
        return after == "<"
    return name in GROUP_TYPES or (name in _FUNCTIONS and after in ("(", "<"))
