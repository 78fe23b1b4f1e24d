"""Batches of edges, inserted into a graph in linked blocks and deleted from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.grading import Launch, Problem

NONE, ENTRIES, WORDS = -1, 7, 8
APPLIED, UNCHANGED, NO_ROOM = 1, 2, 3
NAMES = {APPLIED: "APPLIED", UNCHANGED: "UNCHANGED", NO_ROOM: "NO_ROOM"}

Ints = NDArray[np.int32]
Edges = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Batch:
    """The updates of one launch."""

    deletes: bool
    pairs: list[tuple[int, int]]


class ResultError(Exception):
    """What is wrong with a result, in a sentence."""


def make(
    rng: np.random.Generator,
    vertices: int,
    batches: Sequence[Mapping[str, Any]],
    block: int,
    limit: int = 0,
    start: Sequence[Sequence[Any]] = (),
    each: int = 0,
) -> Problem:
    """Return a launch for each batch, in blocks of `block` threads.

    A batch has `edges`, or so many `updates` that are drawn, `of` so many vertices, `to` so many
    targets, from 0 on or from `above`. It deletes them if it `deletes`. `start` is what the graph
    holds at first: for each vertex its entries in their order, of which some are -1; without it
    each vertex has the edges to the first `each` vertices. There are `limit` blocks, or enough
    for 0.
    """
    entries = [[int(w) for w in row] for row in start] or [[*range(each)] for _ in range(vertices)]
    begun = frozenset((v, w) for v, row in enumerate(entries) for w in row if w != NONE)
    done = [_drawn(rng, one) for one in batches]
    limit = limit or sum(len(one.pairs) for one in done) + sum(map(len, entries)) + 1
    arrays = _built(rng, entries, limit)
    launches = []
    for number, batch in enumerate(done):
        ends = np.array(batch.pairs, np.int32)
        own = {f"sources{number}": ends[:, 0].copy(), f"targets{number}": ends[:, 1].copy()}
        arrays |= own | {f"result{number}": np.zeros(len(ends), np.int32)}
        graph = ("first", "edges", "lock", "blocks", "top", limit)
        args = (*graph, *own, len(ends), f"result{number}")
        kernel = "delete_edges" if batch.deletes else "insert_edges"
        launches.append(Launch(kernel, len(ends) // block + 1, block, args))

    def check(found: Mapping[str, Ints]) -> str:
        try:
            _check(found, limit, entries, begun, done)
        except ResultError as wrong:
            return str(wrong)
        return ""

    return Problem(arrays, tuple(launches), check=check)


def _drawn(rng: np.random.Generator, given: Mapping[str, Any]) -> Batch:
    ends = np.array(given.get("edges", ()), np.int32).reshape(-1, 2)
    if "updates" in given:
        columns = (rng.integers(0, given[name], given["updates"]) for name in ("of", "to"))
        ends = np.column_stack(list(columns)) + given.get("above", 0)
    return Batch(bool(given.get("deletes")), [(int(v), int(w)) for v, w in ends])


def _built(rng: np.random.Generator, start: Sequence[Sequence[int]], limit: int) -> dict[str, Ints]:
    """Return a graph's arrays; blocks that were never taken hold what might be edges."""
    blocks = rng.integers(0, 9, (limit, WORDS), dtype=np.int32)
    blocks[:, ENTRIES] += limit  # who follows such a link leaves the array
    first = np.full(len(start), NONE, np.int32)
    top = 0
    for v, row in enumerate(start):
        for at in range(0, len(row), ENTRIES):
            part = row[at : at + ENTRIES]
            blocks[top] = NONE
            blocks[top, : len(part)] = part
            if at:
                blocks[top - 1, ENTRIES] = top
            else:
                first[v] = top
            top += 1
    return {
        "first": first,
        "edges": np.array([len(row) - row.count(NONE) for row in start], np.int32),
        "lock": np.zeros(len(start), np.int32),
        "blocks": blocks.reshape(-1),
        "top": np.array([top], np.int32),
    }


def _check(
    found: Mapping[str, Ints],
    limit: int,
    start: Sequence[Sequence[int]],
    begun: Edges,
    batches: Sequence[Batch],
) -> None:
    """Raise ResultError unless the graph is whole, and what became of each update fits to it."""
    vertices = len(start)
    if found["lock"].any():
        raise ResultError(f"the lock of vertex {int(found['lock'].argmax())} is still held")
    chains = _chains(found, limit, vertices)
    held = _held(found, chains)
    edges, room = begun, [_blocks(len(row)) for row in start]
    for number, batch in enumerate(batches):
        where = f"launch {number + 1} ({'deletion' if batch.deletes else 'insertion'})"
        edges, refused = _after(where, batch, found[f"result{number}"], edges)
        degrees = _degrees(edges, vertices)
        room = [max(had, _blocks(degree)) for had, degree in zip(room, degrees, strict=True)]
        for v, w in sorted(refused):
            if degrees[v] < ENTRIES * room[v] or sum(room) < limit:
                raise ResultError(f"{where}: there was room for the edge from {v} to {w}: NO_ROOM")
    wanted: list[set[int]] = [set() for _ in range(vertices)]
    for v, w in edges:
        wanted[v].add(w)
    for v in range(vertices):
        _check_vertex(v, held[v], wanted[v], int(found["edges"][v]))
    for v, (chain, needed) in enumerate(zip(chains, room, strict=True)):
        if len(chain) != needed:
            raise ResultError(f"vertex {v} has {len(chain)} blocks, and needs {needed} at most")
    if found["top"][0] != sum(room):
        raise ResultError(f"*top is {found['top'][0]}, and vertices have {sum(room)} blocks")


def _chains(found: Mapping[str, Ints], limit: int, vertices: int) -> list[list[int]]:
    """Return the numbers of each vertex's blocks."""
    blocks, top = found["blocks"].reshape(-1, WORDS), int(found["top"][0])
    if not 0 <= top <= limit:
        raise ResultError(f"*top is {top}, and there are {limit} blocks")
    owner: dict[int, int] = {}
    chains: list[list[int]] = []
    for v in range(vertices):
        chain: list[int] = []
        block = int(found["first"][v])
        while block != NONE:
            where = f"the link of block {chain[-1]}" if chain else f"first[{v}]"
            if not 0 <= block < top:
                raise ResultError(
                    f"{where} is {block}, and *top is {top}: that block was never taken"
                )
            if block in owner:
                raise ResultError(
                    f"{where} is block {block}, which vertex {owner[block]} has already"
                )
            owner[block] = v
            chain.append(block)
            block = int(blocks[block, ENTRIES])
        chains.append(chain)
    return chains


def _held(found: Mapping[str, Ints], chains: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return each vertex's edges, sorted."""
    blocks = found["blocks"].reshape(-1, WORDS)
    entries = [blocks[list(chain), :ENTRIES].reshape(-1).tolist() for chain in chains]
    return [sorted(w for w in row if w != NONE) for row in entries]


def _check_vertex(v: int, held: Sequence[int], wanted: set[int], counted: int) -> None:
    for one, other in pairwise(held):
        if one == other:
            raise ResultError(f"the edge from {v} to {one} is there twice")
    lost, more = sorted(wanted - set(held)), sorted(set(held) - wanted)
    if lost:
        raise ResultError(f"the edge from {v} to {lost[0]} is missing")
    if more:
        raise ResultError(f"the edge from {v} to {more[0]} is there, and nobody has inserted it")
    if counted != len(held):
        raise ResultError(f"edges[{v}] is {counted}, and vertex {v} has {len(held)} edges")


def _after(where: str, batch: Batch, result: Ints, before: Edges) -> tuple[Edges, Edges]:
    """Return the edges that there are by the results of a launch, and those that found no room."""
    said: dict[tuple[int, int], list[int]] = {}
    for i, (pair, value) in enumerate(zip(batch.pairs, result.tolist(), strict=True)):
        if value not in NAMES:
            what = "was not written" if value == 0 else f"is {value}, which means nothing"
            raise ResultError(f"{where}: result[{i}] {what}")
        said.setdefault(pair, []).append(value)
    applied = set()
    refused = set()
    for (v, w), values in said.items():
        edge = f"{where}: the edge from {v} to {w} was {'' if (v, w) in before else 'not '}there"
        times, none = values.count(APPLIED), values.count(NO_ROOM)
        if ((v, w) in before) != batch.deletes:
            if times:
                raise ResultError(f"{edge}, and an update of it is APPLIED")
            if none:
                raise ResultError(f"{edge}, and an update of it is NO_ROOM")
        elif none and not batch.deletes:
            if none < len(values):
                raise ResultError(f"{edge}, and of {len(values)} updates of it {none} are NO_ROOM")
            refused.add((v, w))
        elif times != 1 or none:
            names = ", ".join(NAMES[value] for value in values)
            raise ResultError(f"{edge}, and the updates of it are {names}")
        else:
            applied.add((v, w))
    return frozenset(before ^ applied), frozenset(refused)


def _degrees(edges: Edges, vertices: int) -> list[int]:
    return np.bincount([v for v, _ in edges], minlength=vertices).tolist()


def _blocks(entries: int) -> int:
    """Return how many blocks so many entries need."""
    return -(-entries // ENTRIES)
