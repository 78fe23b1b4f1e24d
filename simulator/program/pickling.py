"""Programs, and what comes of them, as bytes: what is one object stays one object.

Types that are the same only if they are the same object, and that every program has, stand in the
bytes by their names. What a program and its kernels have in common stands in those of a kernel by
its number: texts, to which spans point, and variables outside functions.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from simulator.ir.conversions import GROUP_TYPES
from simulator.ir.tree import Symbol
from simulator.ir.types import DIM3, HEADER_TYPES, PAIRS, VECTORS, Struct
from simulator.source import Source

#: Bytes, and the texts that are in them.
Dump = tuple[bytes, tuple[Source, ...]]


def dumped(thing: object, common: Sequence[object] | None = None) -> Dump | None:
    """Return an object as bytes, and the texts in it; None if it has what cannot be kept.

    Parameters
    ----------
    thing : object
        What is kept.
    common : sequence of object, optional
        What stands in the bytes by its number, of what comes of a program: all the texts,
        structures and variables that it has in common with that.

    Returns
    -------
    tuple of bytes and tuple of Source, or None
        None of functions that have no name, for instance, of what is nested too deeply, and of what
        has a text or a structure of the program's that is not in `common`.
    """
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, common)
    try:
        pickler.dump(thing)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError, MemoryError):
        return None
    return buffer.getvalue(), tuple(pickler.sources)


def loaded(content: bytes, common: Sequence[object] = ()) -> Any:
    """Return the object again; None if the bytes are broken.

    Parameters
    ----------
    content : bytes
        What `dumped` made, in this user's own process.
    common : sequence of object
        As for `dumped`.
    """
    try:
        return _Unpickler(io.BytesIO(content), common).load()
    except Exception:  # there is nothing that broken bytes cannot raise
        return None


@cache
def _known() -> dict[str, Struct]:
    """Return the structures that every program has, by names of their own."""
    return {f"{one.name} {number}": one for number, one in enumerate(dict.fromkeys(_structures()))}


@cache
def _names() -> dict[Struct, str]:
    return {one: name for name, one in _known().items()}


def _structures() -> Iterator[Struct]:
    families: Iterable[Iterable[object]] = (
        [DIM3],
        VECTORS.values(),
        PAIRS,
        (ctype for ctype, _ in HEADER_TYPES.values()),
        GROUP_TYPES,
    )
    for family in families:
        yield from (ctype for ctype in family if isinstance(ctype, Struct))


class _Pickler(pickle.Pickler):
    def __init__(self, buffer: io.BytesIO, common: Sequence[object] | None) -> None:
        super().__init__(buffer, protocol=5)
        self._is_part = common is not None
        self._numbers = {id(one): number for number, one in enumerate(common or ())}
        self.sources: dict[Source, None] = {}

    def persistent_id(self, thing: Any) -> str | int | None:
        """Return what stands for an object."""
        known = _names().get(thing) if type(thing) is Struct else self._numbers.get(id(thing))
        if known is None and self._is_part and isinstance(thing, Source | Struct | Symbol):
            raise pickle.PicklingError(f"{thing} is not the program's")
        return known

    def reducer_override(self, thing: Any) -> Any:
        """Leave out of a text what was made of it."""
        if type(thing) is not Source:
            return NotImplemented
        self.sources[thing] = None
        return Source, (thing.text, thing.name, thing.library)


class _Unpickler(pickle.Unpickler):
    def __init__(self, buffer: io.BytesIO, common: Sequence[object]) -> None:
        super().__init__(buffer)
        self._common = common

    def persistent_load(self, name: Any) -> Any:
        """Return the object that a name or a number stands for."""
        return _known()[name] if isinstance(name, str) else self._common[name]
