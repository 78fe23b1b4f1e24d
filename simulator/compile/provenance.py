"""Pointers to shared arrays remember which array they were made from.

Where the source tells the array of a pointer, NumPy checks the index for nothing. A pointer that is
chosen, stored or handed on is an address, in which the number of its array travels
(`execute.provenance`). Kernels that make no such address pay nothing for it.
"""

from __future__ import annotations

from typing import Any

from simulator.compile.active_lanes import RegionEmitter
from simulator.compile.values import Value, typed
from simulator.compile.writer import Origin
from simulator.ir.events import Site
from simulator.ir.pointer_tags import MASK, MOST, SHIFT
from simulator.ir.types import Pointer


class ProvenanceEmitter(RegionEmitter):
    """Marks of arrays on addresses: put on, checked, taken off."""

    #: Whether some address bears a mark.
    marked = False
    #: Whether there are shared arrays by which addresses could be marked.
    may_mark = False
    constants: dict[str, Any]

    def mark(self, address: str, number: int) -> str:
        """The code of an address in the shared array of a number, with the mark of that."""
        if not 0 < number <= MOST:
            return address
        self.marked = True
        return f"({address} + {number << SHIFT})"

    def unmarked(self, value: Value) -> Value:
        """An address as the program sees it."""
        if not self.may_mark or not isinstance(value.type, Pointer) or value.code == "i8(0)":
            return value
        marked, plain = self.keep("address", value), self.writer.fresh("plain")
        self._later(f"{plain} = {marked.code} & {MASK}", f"{plain} = {marked.code}")
        return Value(plain, value.type, value.scalar)

    def kept(self, address: str, value: Value) -> Value:
        """A pointer as memory holds it, whose mark is kept aside for who loads it as a pointer."""
        if not self.may_mark:
            return value
        plain = self.writer.fresh("plain")
        self._later(f"{plain} = launch.kept({address}, {typed(value)})", f"{plain} = {value.code}")
        return Value(plain, value.type, value.scalar)

    def recalled(self, address: str, value: Value) -> Value:
        """A pointer that was loaded, with the mark that it had when it was stored."""
        if not self.may_mark:
            return value
        marked = self.writer.fresh("marked")
        self._later(
            f"{marked} = launch.recalled({address}, {value.code})", f"{marked} = {value.code}"
        )
        return Value(marked, value.type, value.scalar)

    def owned(self, address: Value, size: int, site: Site) -> Value:
        """The address that an access goes to, which lies in the array that it is marked with."""
        if not self.may_mark:
            return address
        plain = self.writer.fresh("plain")
        self.constants["shared_arrays"] = self.plan.shared
        call = (
            f"launch.owned(shared_arrays, {self.region.lanes}, {address.code}, "
            f"{size}, {site.kind!r})"
        )
        self._later(f"{plain} = {call}", f"{plain} = {address.code}", site)
        return Value(plain, address.type, address.scalar)

    def _later(self, if_marked: str, otherwise: str, site: Site | None = None) -> None:
        """A line that depends on what the rest of the kernel does."""
        origin = Origin(self.span, self.region.lanes, site) if self.span else None
        self.writer.put(lambda: [if_marked if self.marked else otherwise], origin)
