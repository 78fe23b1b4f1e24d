"""Which lanes are active where, and what is known of their variables there.

A region is a part of the kernel with an active-lane array of its own. Variables live in registers,
arrays with one element a lane; inside a region the values of the active lanes are kept by name
(`cache`), so that most reads cost nothing and most registers are never stored at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from simulator.compile.values import Value, typed
from simulator.compile.writer import Origin, Register, Writer
from simulator.ir.events import VALUE, BasicBlock, Build, Operand, Plan, Site
from simulator.ir.types import CType
from simulator.source import Span


@dataclass
class Shrink:
    """A place where a region lost lanes: the cached values used after it must lose them too."""

    selection: str
    names: list[str] = field(default_factory=list)


@dataclass
class Entry:
    """A cached value and the shrinkings that it has not yet been put through."""

    value: Value
    pending: list[Shrink] = field(default_factory=list)

    def use(self) -> Value:
        """The value; from here on it must have followed its region's lanes."""
        if not self.value.scalar:
            for shrink in self.pending:
                shrink.names.append(self.value.code)
        self.pending = []
        return self.value


@dataclass
class Region:
    """`lanes` names the array of active lanes; `selection` picks them out of the parent's (None.

    Cannot).
    """

    lanes: str
    parent: Region | None = None
    selection: str | None = None
    full: bool = False
    cache: dict[Register, Entry] = field(default_factory=dict)
    last: BasicBlock | None = None
    guarded: bool = False
    shrunk: bool = False


@dataclass
class OpenBlock:
    """The basic block that is being written."""

    block: BasicBlock
    codes: list[str] = field(default_factory=list)


class RegionEmitter:
    """Text, regions, registers and basic blocks: what every construct is written with."""

    def __init__(self, plan: Plan, build: Build) -> None:
        self.writer = Writer()
        self.plan = plan
        self.build = build
        self.region = Region("lanes_0", full=True)
        self.registers: list[Register] = []
        self.open: OpenBlock | None = None
        self.span: Span | None = None
        #: The calls, the outermost first, of the functions that are being inlined.
        self.calls: tuple[Span, ...] = ()
        #: The statement, or the condition of a loop, that is being compiled.
        self.statement: Span | None = None
        #: Whether lanes take part in what is being computed that do not need it.
        self.unneeded = False
        #: Whether what is being computed decides how long a loop waits for other threads.
        self.polling = False

    # Lines and names.

    def put(self, text: str, site: Site | None = None, index: str = "") -> None:
        """Write one line that belongs to the current statement."""
        origin = None
        if self.span:
            origin = Origin(self.span, self.region.lanes, site, index, self.calls)
        self.writer.put(text, origin)

    def keep(self, hint: str, value: Value) -> Value:
        """Give `value` a name, so that its code is evaluated once."""
        if value.constant is not None or value.code.isidentifier():
            return value
        name = self.writer.fresh(hint)
        self.put(f"{name} = {value.code}")
        return Value(name, value.type, value.scalar)

    def pause(self) -> None:
        """Let others run before a memory operation, where the build is made for that."""
        if not self.build.preemptive:
            return
        self.close()
        self.put("fuse -= 1")
        self.put("if fuse < 0:")
        self.put(f"    fuse = yield ('switch', -1, {self.region.lanes}, None)")

    # Registers.

    def register(self, name: str, code: str) -> Register:
        """A new register of NumPy type `code`."""
        register = Register(self.writer.fresh("R_" + name), code, label=name)
        self.registers.append(register)
        return register

    def read(self, register: Register, ctype: CType) -> Value:
        """The active lanes' values of a register."""
        value = self._known(self.region, register)
        if value is None:
            register.gathered = True
            value = Value(self.writer.fresh(register.name.split("_", 1)[1]), ctype)
            code = f"{register.name}[{self.region.lanes}]"
            if register.table and self.region.full:
                code = f"{register.name} if {self.region.lanes}.size == lane_count else {code}"
            self.put(f"{value.code} = {code}")
            self.region.cache[register] = Entry(value)
        return replace(value, type=ctype)

    def _known(self, region: Region, register: Register) -> Value | None:
        if register in region.cache:
            return region.cache[register].use()
        if region.parent is None or region.selection is None:
            return None
        value = self._known(region.parent, register)
        if value is None:
            return None
        if not value.scalar and (region.selection or region.lanes != region.parent.lanes):
            name = self.writer.fresh(value.code.rsplit("_", 1)[0])
            picked = f"[{region.selection}]" if region.selection else ""
            self.put(f"{name} = {value.code}{picked}")
            value = Value(name, value.type)
        if region is not self.region:
            return value
        region.cache[register] = Entry(value)
        return value

    def write(self, register: Register, value: Value) -> None:
        """Set a register for the active lanes."""
        value = self.keep(register.name.split("_", 1)[1].rsplit("_", 1)[0], value)
        self.writer.put(f"{register.name}[{self.region.lanes}] = {value.code}", None, register)
        region: Region | None = self.region
        while region is not None:
            region.cache.pop(register, None)
            region = region.parent
        self.region.cache[register] = Entry(value)

    # Lanes.

    def shrink(self, selection: str) -> None:
        """The region goes on with the lanes that `selection` picks.

        Cached values follow as far as they are used.
        """
        region = self.region
        record = Shrink(selection)
        lanes = region.lanes
        self.writer.put(
            lambda: [
                f"{name} = {name}[{selection}]" for name in dict.fromkeys([lanes, *record.names])
            ]
        )
        for entry in region.cache.values():
            entry.pending.append(record)
        self.changed(keep=True)

    def changed(self, keep: bool = False) -> None:
        """The active lanes of the region are others from here on."""
        if not keep:
            self.region.cache.clear()
        self.region.last = None
        self.region.full = False
        self.region.shrunk = True
        self.region.selection = None

    def guard(self) -> None:
        """What follows in this region is only for turns in which it has lanes left."""
        self.unguard()
        self.put(f"if {self.region.lanes}.size:")
        self.writer.indent += 1
        self.region.guarded = True

    def unguard(self) -> None:
        """End the region's guard, if it has one."""
        if self.region.guarded:
            self.writer.indent -= 1
            self.region.guarded = False

    def enter(self, selection: str | None, lanes: str | None = None) -> Region:
        """Begin a region.

        `selection` "" means the parent's lanes, under a condition that all of them share.
        """
        self.close()
        lanes = lanes or self.region.lanes
        self.region = Region(lanes, self.region, selection)
        return self.region

    def leave(self) -> Region:
        """End the region and its guards, and go on with its parent."""
        self.close()
        self.unguard()
        region = self.region
        assert region.parent is not None
        self.region = region.parent
        return region

    # Basic blocks.

    def note(self, name: str, value: Value) -> Value:
        """Log what a variable is set to, for traces."""
        if not self.build.steps or self.span is None:
            return value
        value = self.keep(name, value)
        shown = self.unmarked(value)
        self.log(Operand(VALUE, self.site("value", self.span, array=name)), typed(shown))
        return value

    def unmarked(self, value: Value) -> Value:
        """A value as the program sees it."""
        return value

    def site(self, kind: str, span: Span, space: str = "", **facts: Any) -> Site:
        """A new site of the plan."""
        polls = self.polling and kind in ("load", "atomic")
        site = Site(len(self.plan.sites), kind, span, space, polls=polls, calls=self.calls, **facts)
        self.plan.sites.append(site)
        return site

    def log(self, operand: Operand, code: str) -> None:
        """Note an operand of the current basic block."""
        block = self._block()
        block.block.operands.append(operand)
        block.codes.append(code)

    def count_statement(self) -> None:
        """One C statement is executed by the active lanes."""
        self._block().block.statements += 1

    def _block(self) -> OpenBlock:
        if self.open is None:
            self.open = OpenBlock(BasicBlock(-1, span=self.statement))
        return self.open

    def close(self) -> None:
        """End the current basic block: log it, or add its statements to the one just before it."""
        if self.open is None:
            return
        block, codes = self.open.block, self.open.codes
        self.open = None
        last = self.region.last
        alike = last is not None and (last.span == block.span or not self.build.steps)
        if not block.operands and last is not None and alike:
            last.statements += block.statements
            return
        block.id = len(self.plan.blocks)
        block.lanes, block.codes = self.region.lanes, codes
        self.plan.blocks.append(block)
        self.region.last = block
        self.put(f"log(({', '.join([str(block.id), self.region.lanes, *codes])}))")
