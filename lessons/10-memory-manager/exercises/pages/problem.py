"""Pages that are taken from a stack, some given back, and some taken again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem

NONE, UNWRITTEN = -1, -7

Ints = NDArray[np.int32]


def make(
    rng: np.random.Generator,
    pages: int,
    n: int,
    block: int,
    wants: Sequence[int] = (),
    share: float = 1.0,
    done: float = 0.5,
    rounds: int = 2,
) -> Problem:
    """Return launches that take pages and launches that give them back, in turns.

    Of `n` threads those want a page that `wants` says, or the `share` of them that chance chooses.
    The share `done` of them gives its page back, but not behind the last of the `rounds`.
    """
    free = rng.permutation(pages).astype(np.int32)
    arrays = {"free_pages": free, "top": np.array([pages], np.int32)}
    launches = []
    for number in range(rounds):
        chosen = rng.random(n) < share if number or not wants else np.array(wants)
        arrays[f"wants{number}"] = np.asarray(chosen, np.int32) * 7
        arrays[f"done{number}"] = (rng.random(n) < done).astype(np.int32) * 2
        arrays[f"page{number}"] = np.full(n, UNWRITTEN, np.int32)
        stack = ("free_pages", "top")
        grid = n // block + 1
        args = (*stack, f"wants{number}", n, f"page{number}")
        launches.append(Launch("take_pages", grid, block, args))
        if number < rounds - 1:
            args = (*stack, f"done{number}", n, f"page{number}")
            launches.append(Launch("give_pages", grid, block, args))

    def check(found: Mapping[str, Ints]) -> str:
        held: set[int] = set()
        left = pages
        for number in range(rounds):
            where = f"launch {2 * number + 1}, take_pages"
            page, wanted = found[f"page{number}"], arrays[f"wants{number}"] != 0
            words = _taken(where, page, wanted, pages, held)
            if words:
                return words
            got = page != NONE
            if got.sum() != min(wanted.sum(), left):
                return (
                    f"{where}: {got.sum()} threads got a page, of {wanted.sum()}: {left} were free"
                )
            left -= int(got.sum())
            back = got & (arrays[f"done{number}"] != 0) & (number < rounds - 1)
            held = (held | set(page[got].tolist())) - set(page[back].tolist())
            left += int(back.sum())
        if found["top"][0] != left:
            return f"*top is {found['top'][0]} at the end, and {left} pages are free"
        return _free(found["free_pages"][:left].tolist(), set(range(pages)) - held)

    return Problem(arrays, tuple(launches), check=check)


def _taken(where: str, page: Ints, wanted: NDArray[np.bool_], pages: int, held: set[int]) -> str:
    """Return what is wrong with the pages that threads got, or nothing."""
    owner: dict[int, int] = {}
    for i, one in enumerate(page.tolist()):
        if one == NONE:
            continue
        if not wanted[i] and one != UNWRITTEN:
            return f"{where}: thread {i} wants no page, and page[{i}] is {one}"
        if one == UNWRITTEN:
            return f"{where}: page[{i}] was not written"
        if not 0 <= one < pages:
            return f"{where}: page[{i}] is {one}, and no page has this number"
        if one in owner:
            return f"{where}: threads {owner[one]} and {i} both got page {one}"
        if one in held:
            return f"{where}: thread {i} got page {one}, which was taken before and not given back"
        owner[one] = i
    return ""


def _free(stack: list[int], wanted: set[int]) -> str:
    """Return what is wrong with the free pages at the end, or nothing."""
    twice = sorted(one for one, times in Counter(stack).items() if times > 1)
    if twice:
        return f"page {twice[0]} is among the free ones twice at the end"
    taken = sorted(set(stack) - wanted)
    if taken:
        return f"page {taken[0]} is among the free ones at the end, and somebody has it"
    return ""
