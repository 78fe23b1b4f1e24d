"""Calls: device functions are inlined, as a GPU's compiler does.

CUDA's own functions have a method or a table row.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from simulator.compile.bindings import (
    Binding,
    PointerVariable,
    ReferenceVariable,
    StructureVariable,
)
from simulator.compile.facts import Facts, facts_of
from simulator.compile.frames import Frame
from simulator.compile.functions import BARRIERS, FENCES, FUNCTIONS, WARP
from simulator.compile.groups import is_group_call
from simulator.compile.lvalues import At, Element, Place
from simulator.compile.merging import merged_atomics
from simulator.compile.messages import combines
from simulator.compile.recursion import RecursionEmitter
from simulator.compile.reports import REPORTS
from simulator.compile.structures import Members, is_place
from simulator.compile.values import Value, dtype_code, dtype_name, typed
from simulator.ir import tree
from simulator.ir.events import (
    ADDRESS,
    BARRIER,
    FENCE,
    SERVED,
    SHARED,
    SWAPPED,
    VIEW,
    WARP_SYNC,
    Operand,
    Site,
)
from simulator.ir.types import INT, LONG, Pointer, Scalar, Struct, Void, size_of

#: How many calls a kernel may have after inlining, and lines of generated code.
MOST_INLINED, MOST_LINES = 20_000, 500_000


class CallEmitter(RecursionEmitter):
    """Calls of every kind."""

    inlined = 0
    frame: Frame
    kernel_frame: Frame
    returned: Members
    dead: bool

    def value(self, node: tree.Expression) -> Value:
        """The value of an expression for the active lanes."""
        outer = self.polling
        self.polling |= node in self.frame.facts.polled
        result = super().value(node)
        self.polling = outer
        return result

    def _value_Call(self, node: tree.Call) -> Value:
        if node.function is not None:
            return self._inline(node, node.function)
        if node.name.startswith("atomic"):
            return self._atomic(node)
        if is_group_call(node):
            return self.group_call(node)
        if node.name in BARRIERS:
            return self._barrier(node)
        if node.name in REPORTS:
            return self.report(node)
        if node.name in FENCES:
            return self._fence(node)
        if node.name in WARP:
            return self._warp_function(node)
        return self._plain_function(node)

    def _warp_function(self, node: tree.Call) -> Value:
        """A function by which the lanes of a warp tell each other something."""
        arguments = [self.value(node.arguments[0]), self._offered(node)]
        arguments += [self.value(a) for a in node.arguments[2:]]
        arguments[0] = self._warp_sync(node, arguments[0])
        codes = ", ".join([self.region.lanes, "warp_size", *(typed(a) for a in arguments)])
        return self._named(f"{WARP[node.name]}({codes})", node)

    def _offered(self, node: tree.Call) -> Value:
        """What each lane offers to others; a variable need not be set where nobody takes it."""
        offered = node.arguments[1]
        variable = offered
        while isinstance(variable, tree.Cast):
            variable = variable.operand
        outer = self.unneeded
        self.unneeded |= node.name.startswith("__shfl") and isinstance(variable, tree.Name)
        value = self.lanes_of(offered)
        self.unneeded = outer
        return value

    def _plain_function(self, node: tree.Call) -> Value:
        """A function of values alone."""
        name = node.name
        if name == "__activemask":
            code = "parted_mask(launch, " if self.build.shuffled else "active_mask("
            return self._named(f"{code}{self.region.lanes}, warp_size)", node)
        if name not in FUNCTIONS:
            self.refuse(f"{name} is not supported by the simulator", node.span)
        values = [self.keep("x", self.plain_value(a)) for a in node.arguments]
        if name in ("min", "max") and isinstance(node.type, Scalar) and node.type.is_float:
            name = f"f{name}"  # of a number and NaN, CUDA gives the number
        code = FUNCTIONS[name].format(*(typed(v) for v in values))
        return self.keep("f", Value(f"({code})", node.type, all(v.scalar for v in values)))

    def _named(self, code: str, node: tree.Call) -> Value:
        name = self.writer.fresh("warp")
        self.put(f"{name} = {code}")
        return Value(name, node.type)

    # What synchronises a warp or orders memory.

    def _fence(self, node: tree.Call) -> Value:
        if node.name == "__syncwarp":
            self._warp_sync(node, self.value(node.arguments[0]))
        elif self.build.values or self.build.steps:
            self.log(Operand(FENCE, self.site("fence", node.span, array=node.name)), "None")
            self.close()
        return Value("None", node.type, True)

    def _warp_sync(self, node: tree.Call, mask: Value) -> Value:
        """Check and log the mask of a function that synchronises the lanes it names.

        Memory is ordered by `__syncwarp` alone: of votes, matches, reductions and shuffles CUDA's
        programming guide says that they guarantee no memory ordering.
        """
        if not (self.build.values or self.build.masks or self.build.steps):
            return mask
        mask = self.keep("mask", mask)
        site = self.site("warp sync", node.span, array=node.name)
        if self.build.masks:
            self.kernel_frame.asked = True
            self.put(f"check_mask(launch, {self.region.lanes}, {typed(mask)}, gone)", site)
        if node.name == "__syncwarp" and (self.build.values or self.build.steps):
            self.log(Operand(WARP_SYNC, site), typed(mask))
            if self.build.values:
                self.close()
        return mask

    # Atomics.

    def _atomic(self, node: tree.Call) -> Value:
        place = self.pointer(node.arguments[0])
        values = [self.keep("operand", self.value(a)) for a in node.arguments[1:]]
        view, index, site = self._atomic_place(place, node)
        old, function = self.writer.fresh("old"), f"atomic_{node.name[6:].lower()}"
        operands = ", ".join([view, index, *(v.code for v in values), f"{self.region.lanes}.size"])
        order = ""
        if self.build.shuffled:
            order = self.writer.fresh("order")
            self.put(f"{order} = shuffled_order(launch, {self.region.lanes}, {site.merged!r})")
            function, operands = "any_order", f"{order}, {function}, {operands}"
        if node.name == "atomicCAS":
            swapped = self.writer.fresh("swapped")
            self.put(f"{old}, {swapped} = {function}({operands})", site, index)
            self.log(Operand(SWAPPED, site), swapped)
        else:
            self.put(f"{old} = {function}({operands})", site, index)
        self.found(site, Value(old, node.type))
        if order and (self.build.steps or self.build.values):
            self.log(Operand(SERVED, site), order)
        return Value(old, node.type)

    def _atomic_place(self, place: Element | At, node: tree.Call) -> tuple[str, str, Site]:
        """The flat view and index that an atomic works on, logged."""
        merged = merged_atomics(self.kernel_frame.function).get(node, "")
        facts: dict[str, Any] = {"merged": merged, "scope": node.scope, "combines": combines(node)}
        if isinstance(place, Element) and place.base.space == "constant":
            place = self.located(place)
        if isinstance(place, At):
            address = self.spread(self.keep("address", place.address))
            size = size_of(place.element)
            site = self.site("atomic", node.span, "generic", size=size, **facts)
            self.pause()
            address = self.owned(address, size, site)
            self.log(Operand(ADDRESS, site), address.code)
            flat, at = self.writer.fresh("flat"), self.writer.fresh("at")
            kind = dtype_name(place.element)
            self.put(
                f"{flat}, {at} = resolve({self.region.lanes}, {address.code}, {kind})",
                site,
                address.code,
            )
            return flat, at, site
        base = place.base
        if base.space == "local":
            self.refuse(
                f"{node.name} on {base.name}, which belongs to one thread",
                node.span,
                "Atomics are for shared and global memory; a plain assignment is enough here.",
            )
        site = self.known_site("atomic", base, node.span, **facts)
        index = self.index64(place.index, site, base.shift)
        self.pause()
        if base.space == "global":
            self.log(Operand(VIEW, site, base.view), index.code)
            if index.scalar:
                self.put(f"inside({index.code})", site, index.code)
            return base.view, index.code, site
        self.log(Operand(SHARED, site), index.code)
        at = self.writer.fresh("at")
        self.put(f"{at} = row_index({base.view}, {self.slot()}, {index.code})", site, index.code)
        return f"flat_{base.view}", at, site

    # Barriers.

    def asks_for_returned(self) -> None:
        """The kernel must keep which of its threads have returned."""
        self.kernel_frame.asked = True

    def _barrier(self, node: tree.Call) -> Value:
        self.kernel_frame.asked = True
        site = self.site("barrier", node.span)
        kind = BARRIERS[node.name]
        argument = self.lanes_of(node.arguments[0]).code if node.arguments else "None"
        self.log(Operand(BARRIER, site), "None")
        self.close()
        self.region.last = None
        call = f"yield ({kind!r}, {site.id}, {self.region.lanes}, {argument})"
        if kind == "all":
            self.put(call, site)
            return Value("None", node.type, True)
        result = self.writer.fresh("voted")
        self.put(f"{result} = {call}", site)
        return Value(result, INT)

    # Device functions.

    def _count_inlined(self, node: tree.Call, function: tree.Function) -> None:
        """Refuse a kernel that calls too often: what calls twice what calls twice has no end."""
        self.inlined += 1
        if self.inlined > MOST_INLINED or len(self.writer.lines) > MOST_LINES:
            self.refuse(
                f"too many calls of `{function.name}` and other functions for the simulator",
                node.span,
                f"Each call is compiled anew, {MOST_INLINED:,} at most; call in a loop instead.",
            )

    def _inline(self, node: tree.Call, function: tree.Function) -> Value:
        self._count_inlined(node, function)
        if function.recursive:
            return self.recurse(node, function)
        facts = facts_of(function)
        bound = [
            self._argument(parameter, argument, facts)
            for parameter, argument in zip(function.parameters, node.arguments, strict=True)
        ]
        for parameter, binding in zip(function.parameters, bound, strict=True):
            self.bindings[parameter] = binding
        outer, dead, calls = self.frame, self.dead, self.calls
        self.frame, self.dead, self.calls = Frame(function, facts), False, (*calls, node.span)
        result = self._body(function, facts)
        if isinstance(function.result, Struct):
            self.returned = self._returned(function.result)
        self.frame, self.dead, self.calls = outer, dead, calls
        return result

    def _returned(self, ctype: Struct) -> Members:
        """The members of what the function that is ending returns."""
        frame = self.frame
        if frame.structure is None:
            return frame.members
        return self.load_members(frame.structure, frame.function.span)

    def call_members(self, node: tree.Call, ctype: Struct) -> Members:
        """The members of what a call returns: of make_float4 and the like, its arguments."""
        if node.function is None:
            values = [self.keep("part", self.value(a)) for a in node.arguments]
            names = (name for name, _, _ in ctype.members)
            return dict(zip(names, values, strict=True))
        self._inline(node, node.function)
        return self.returned

    def _body(self, function: tree.Function, facts: Facts) -> Value:
        nothing = Value("None", function.result, True)
        if not facts.early_return:
            self.run_all(function.body.body)
            return self.frame.value or nothing
        frame = self.frame
        if isinstance(function.result, Struct):
            frame.structure = self.variable_of("result", function.result, None)
        elif not isinstance(function.result, Void):
            frame.result = self.register("result", dtype_code(function.result))
        lanes = self.writer.fresh("lanes")
        self.close()
        frame.gone = self.writer.fresh("gone")
        self.writer.put(lambda: [f"{frame.gone} = np.zeros(lane_count, b1)"] if frame.asked else [])
        self.put(f"{lanes} = {self.region.lanes}")
        self.enter("", lanes)
        self.run_all(function.body.body)
        self.leave()
        return self.read(frame.result, function.result) if frame.result else nothing

    def _argument(self, parameter: tree.Symbol, argument: tree.Expression, facts: Facts) -> Binding:
        if parameter.reference and is_place(argument):
            return self.reference(argument)
        if isinstance(parameter.type, Struct):
            values, addressed = self.members_of(argument), parameter in facts.addressed
            return self.structure_binding(
                parameter.name, parameter.type, values, addressed, argument.span
            )
        if isinstance(parameter.type, Pointer) and parameter not in facts.written:
            return self.pointer_binding(parameter, self.pointer(argument))
        value = self.value(argument)
        if value.scalar and parameter not in facts.written:
            return self.keep(parameter.name, value)
        return self._fresh_variable(parameter, value, facts)

    def reference(self, argument: tree.Expression) -> Binding:
        """What to bind a reference to an lvalue to."""
        if isinstance(argument.type, Struct):
            where = self.structure(argument)
            if isinstance(where, StructureVariable):
                return where
        place: Place = self.place(argument)
        if isinstance(place, Element) and not place.index.scalar:
            register = self.register(place.base.name, "i8")
            self.write(register, self.convert(place.index, LONG))
            return ReferenceVariable(place.base, argument.type, register)
        if isinstance(place, At) and not place.address.scalar:
            register = self.register("address", "i8")
            self.write(register, place.address)
            return ReferenceVariable(None, argument.type, register)
        held: Place = self.once(place)
        return held

    def pointer_binding(self, symbol: tree.Symbol, pointer: Element | At) -> Binding:
        """What to bind a pointer variable to that is set once, to `pointer`."""
        if isinstance(pointer, At):
            value = pointer.address
            if value.scalar:
                return self.keep(symbol.name, Value(value.code, symbol.type, True, value.constant))
            return self._fresh_variable(symbol, Value(value.code, symbol.type), None)
        if pointer.index.scalar:
            index = self.keep(symbol.name, pointer.index)
            return PointerVariable(pointer.base, index, index.type)
        wide = self.convert(pointer.index, LONG)
        register = self.register(symbol.name, "i8")
        self.write(register, wide)
        return PointerVariable(pointer.base, register, LONG)

    @abstractmethod
    def _fresh_variable(
        self, symbol: tree.Symbol, value: Value | None, facts: Facts | None
    ) -> Binding:
        """Make a variable."""

    @abstractmethod
    def run_all(self, statements: tuple[tree.Statement, ...]) -> None:
        """Run statements until none is reachable."""
