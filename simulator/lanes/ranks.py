"""Where threads stand in the groups that the launch alone decides: block, grid, tiles of a warp.

Tables have one element a lane of the wave, padding included; tiles larger than a warp are the warp.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.generic]


def rank_table(name: str, padded: int, size: int, block: int, blocks: NDArray[np.int64]) -> Table:
    """Make the table `name`, which ends in the threads of a tile, and of a tile around it.

    Parameters
    ----------
    name : str
        block_rank, grid_rank, rank_of_block, warp_mask (of the threads that exist), or tile_rank,
        tile_base, tile_mask, tile_index and part_index with numbers behind them.
    padded : int
        Lanes of a block.
    size : int
        Lanes of a warp.
    block : int
        Threads of a block.
    blocks : ndarray of int
        The number in the grid of each block of the wave.

    Examples
    --------
    >>> rank_table("tile_mask_2", 4, 4, 4, np.array([0, 1])).tolist()
    [3, 3, 12, 12, 3, 3, 12, 12]
    """
    rank = np.arange(padded * blocks.size, dtype=np.int64) % padded
    if name == "rank_of_block":
        return np.repeat(blocks, padded).astype(np.uint64)
    if name == "grid_rank":
        return (np.repeat(blocks, padded) * block + rank).astype(np.uint64)
    if name == "block_rank":
        return rank.astype(np.uint32)
    if name == "warp_mask":
        threads_there = np.clip(block - rank // size * size, 0, size)
        return ((1 << threads_there) - 1).astype(np.uint32)
    parts = name.split("_")
    threads = [min(int(part), size) for part in parts if part.isdigit()]
    return _tile_table(parts[:2], rank, size, threads)


def _tile_table(what: list[str], rank: NDArray[np.int64], size: int, threads: list[int]) -> Table:
    own, lane = threads[0], rank % size
    base = lane - lane % own
    found = {
        "tile_rank": lane % own,
        "tile_base": base,
        "tile_mask": ((1 << own) - 1) << base,
        "tile_index": rank // own,
        "part_index": lane % threads[-1] // own,
    }["_".join(what)]
    return found.astype(np.uint32)
