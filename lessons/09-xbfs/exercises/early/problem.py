"""Bottom-up passes small enough for paper, by warps of four threads that take turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gpubfs.grading import Launch, Problem

#: The distance that the pass gives.
DEPTH = 2
#: Lanes of a warp, as the exercise's device has.
WARP = 4

#: For each graph its vertices' neighbours; 0 and 13 are parents, and all others are in the queue.
Lists = Mapping[int, Sequence[int]]
GRAPHS: Mapping[str, Lists] = {
    "pairs": {
        **{1: (0, 5), 2: (0, 6), 3: (0, 7), 4: (0, 8)},
        **{5: (1,), 6: (2,), 7: (3,), 8: (4,)},
    },
    "two": {
        **{1: (0, 5, 8), 2: (0, 5, 6), 3: (0, 6, 7), 4: (0, 7, 8)},
        **{5: (1, 2), 6: (2, 3), 7: (3, 4), 8: (1, 4)},
    },
    "one warp": {1: (0, 3, 4), 2: (0, 3, 4), 3: (1, 2), 4: (1, 2)},
    "mixed": {
        **{1: (5,), 2: (0, 3, 6, 10), 3: (2,), 4: (8, 11, 12)},
        **{5: (0, 1, 9), 6: (2,), 7: (8,), 8: (0, 4, 7, 10)},
        **{9: (5,), 10: (2, 8), 11: (4, 13), 12: (4,)},
    },
}


def make(rng: np.random.Generator, lists: str, turn: list[int], behind: int = 0) -> Problem:
    """Return the pass over a graph whose warps take the turns that `turn` says."""
    del rng
    own = GRAPHS[lists]
    rows = [list(own.get(v, ())) for v in range(14)]
    level = np.array([-1 if v in own else DEPTH - 1 for v in range(14)], np.int32)
    sizes = np.cumsum([0, *map(len, rows)])
    first = ("offsets", "neighbours", "level", "queue", len(own), DEPTH)
    return Problem(
        arrays={
            "offsets": sizes.astype(np.int32),
            "neighbours": np.array([v for row in rows for v in row], np.int32),
            "level": level,
            "queue": np.array(sorted(own), np.int32),
            "turn": np.array(turn, np.int32),
            "early": np.zeros(1, np.int32),
        },
        launches=(
            Launch(
                "in_turns",
                1,
                WARP * len(turn),
                (*first, "turn", max(turn) + 1, behind, "early"),
            ),
        ),
    )
