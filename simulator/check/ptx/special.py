"""Special registers of PTX, as C."""

from __future__ import annotations

#: The number of the lane in its warp.
LANE = "(((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32)"
_WARP = "(((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32)"
_BLOCK = "((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)"
#: Blocks are taken to be on multiprocessors in turn, as many as an H200 has.
MULTIPROCESSORS = 132
#: Special registers: their types, and what C has for them.
SPECIAL = {
    "%laneid": ("u32", LANE),
    "%warpid": ("u32", _WARP),
    "%nwarpid": ("u32", "((blockDim.x * blockDim.y * blockDim.z + 31) / 32)"),
    "%lanemask_eq": ("u32", f"(1u << {LANE})"),
    "%lanemask_lt": ("u32", f"((1u << {LANE}) - 1u)"),
    "%lanemask_le": ("u32", f"((2u << {LANE}) - 1u)"),
    "%lanemask_gt": ("u32", f"~((2u << {LANE}) - 1u)"),
    "%lanemask_ge": ("u32", f"~((1u << {LANE}) - 1u)"),
    "%smid": ("u32", f"({_BLOCK} % {MULTIPROCESSORS}u)"),
    "%nsmid": ("u32", f"{MULTIPROCESSORS}u"),
    "%clock": ("u32", "(unsigned)clock64()"),
    "%clock_hi": ("u32", "(unsigned)(clock64() >> 32)"),
    "%clock64": ("u64", "(unsigned long long)clock64()"),
    "%globaltimer": ("u64", "(unsigned long long)clock64()"),
    "%globaltimer_lo": ("u32", "(unsigned)clock64()"),
    "%globaltimer_hi": ("u32", "(unsigned)(clock64() >> 32)"),
    "%cluster_ctarank": ("u32", "__clusterRelativeBlockRank()"),
    "%cluster_nctarank": ("u32", "__clusterSizeInBlocks()"),
    **{
        f"%{ptx}.{axis}": ("u32", f"{c}.{axis}")
        for ptx, c in (
            ("tid", "threadIdx"),
            ("ntid", "blockDim"),
            ("ctaid", "blockIdx"),
            ("nctaid", "gridDim"),
        )
        for axis in "xyz"
    },
}
