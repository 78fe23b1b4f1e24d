"""A kernel as a Python generator function: parameters, prologue, body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

import numpy as np
from scipy import special

from simulator.compile.bindings import PointerVariable
from simulator.compile.facts import facts_of, may_change
from simulator.compile.frames import Frame
from simulator.compile.layouts import (
    has_shared,
    innermost,
    outer_shared,
    structures_of,
    variables_of,
)
from simulator.compile.lvalues import Base, Element, zero
from simulator.compile.structures import Whole
from simulator.compile.switches import SwitchEmitter
from simulator.compile.values import Value, dtype_code, dtype_name, numpy_dtype
from simulator.compile.writer import Origin, Register, python_name
from simulator.ir import tree
from simulator.ir.events import Build, Plan
from simulator.ir.types import DIM3, VECTORS, CType, Pointer, Struct
from simulator.lanes import (
    arithmetic,
    atomics,
    bits,
    groups,
    match_reduce,
    serving_order,
    switch_labels,
    warp,
)
from simulator.lanes.recursion import deeper
from simulator.lanes.traps import no_value, require, trap
from simulator.source import CompileError, Span

#: How a launch binds a pointer argument: to a view that starts at it, to a view of its whole
#: allocation, or by address.
VIEWED, SHIFTED, PLAIN = "viewed", "shifted", "plain"


@dataclass(frozen=True)
class CompiledKernel:
    """`text` is the generated Python; `function(launch, arguments)` starts it.

    `origins` map its lines to the source.

    `bases` give for every view of a parameter's array the parameter's number and a byte offset.
    `variables` are those outside functions that it uses; their arguments follow the parameters'.
    """

    name: str
    parameters: tuple[str, ...]
    variables: tuple[tree.Symbol, ...]
    text: str
    function: Callable[[Any, list[Any]], GeneratorType[Any, Any, None]]
    origins: dict[int, Origin]
    plan: Plan
    bases: dict[str, tuple[int, int]]
    shared_bytes: int
    filename: str
    span: Span


class KernelEmitter(SwitchEmitter):
    """Compiles one kernel for one way of binding its pointers."""

    def __init__(self, kernel: tree.Function, modes: tuple[str, ...], build: Build) -> None:
        super().__init__(Plan(), build)
        self.kernel = kernel
        self.modes = modes
        self.bindings = {}
        self.prologue = []
        self.shared_bytes = 0
        self.shared_bases = {}
        self.dead = False
        self.waits = []
        self.tables: dict[str, Register] = {}
        self.constants, self.callees, self.callee_lines = {}, {}, []
        self.bases: dict[str, tuple[int, int]] = {}
        self.aliases: dict[tuple[str, str], str] = {}
        self.frame = self.kernel_frame = Frame(kernel, facts_of(kernel), "gone")

    def lane_table(self, name: str) -> Register:
        """A read-only array of the launch with one element a lane."""
        if name not in self.tables:
            # Not as names end that the writer makes of variables: theirs is a number.
            register = Register(f"{name}_table", "", table=True)
            self.tables[name] = register
        return self.tables[name]

    def compile(self) -> CompiledKernel:
        """Write the function and turn it into Python's bytecode."""
        self.span = self.kernel.span
        for place, (parameter, mode) in enumerate(
            zip(self.kernel.parameters, self.modes, strict=True)
        ):
            self._parameter(place, parameter, mode)
        variables = variables_of(self.kernel)
        for place, symbol in enumerate(variables, len(self.modes)):
            self._file_variable(place, symbol)
        self.may_mark = has_shared(self.kernel)
        for symbol in outer_shared(self.kernel):
            self.bindings[symbol] = self.shared_base(symbol)
        try:
            self.run_all(self.kernel.body.body)
        except RecursionError:
            raise CompileError(
                f"{self.kernel.name} calls functions that are nested too deeply for the simulator",
                self.kernel.span,
                "Use a chain of fewer functions that call each other.",
            ) from None
        self.close()
        name = f"run_{python_name(self.kernel.name)}"
        text, origins = self._text(name)
        filename = f"<{self.kernel.name} compiled from {self.kernel.span.source.name}>"
        try:
            code = compile(text, filename, "exec")
        except (SyntaxError, RecursionError, MemoryError) as problem:
            raise CompileError(
                f"{self.kernel.name} is nested too deeply for the simulator",
                self.kernel.span,
                "Python allows 20 loops and about 90 branches inside one another; use fewer.",
            ) from problem
        structures = structures_of(self.kernel)
        types = {dtype_name(found): numpy_dtype(found) for found in structures}
        namespace = _HELPERS | types | self.constants
        exec(code, namespace)
        return CompiledKernel(
            self.kernel.name,
            tuple(symbol.name for symbol in (*self.kernel.parameters, *variables)),
            variables,
            text,
            namespace[name],
            origins,
            self.plan,
            self.bases,
            self.shared_bytes,
            filename,
            self.kernel.span,
        )

    def _parameter(self, place: int, symbol: tree.Symbol, mode: str) -> None:
        if isinstance(symbol.type, Struct):
            self._structure_parameter(place, symbol, symbol.type)
            return
        facts = self.frame.facts
        name = self.writer.fresh("p_" + symbol.name)
        self.prologue.append(f"{name} = arguments[{place}].value")
        value = Value(name, symbol.type, True)
        if isinstance(symbol.type, Pointer) and mode != PLAIN and symbol not in facts.written:
            self.bindings[symbol] = self._viewed(place, symbol, mode, name)
        elif symbol in facts.addressed:
            base = self._local(symbol.name, symbol.type)
            self.store(Element(base, zero()), value, symbol.span)
            self.bindings[symbol] = base
        elif symbol in facts.written:
            register = self.register(symbol.name, dtype_code(symbol.type))
            self.write(register, value)
            self.bindings[symbol] = register
        else:
            self.bindings[symbol] = value

    def _structure_parameter(self, place: int, symbol: tree.Symbol, ctype: Struct) -> None:
        """One structure in constant memory; one that is written is copied to a variable first."""
        base = self._brought(place, symbol.name, "constant", ctype, 1)
        self.bindings[symbol] = base
        facts = self.frame.facts
        if symbol in facts.written or symbol in facts.addressed or may_change(self.kernel, symbol):
            values = self.load_members(Whole(Element(base, zero()), ctype), symbol.span)
            addressed = symbol in facts.addressed
            self.bindings[symbol] = self.structure_binding(
                symbol.name, ctype, values, addressed, symbol.span
            )

    def _file_variable(self, place: int, symbol: tree.Symbol) -> None:
        """A variable outside functions: a known array of the device's memory."""
        space = "constant" if symbol.storage is tree.Storage.CONSTANT else "global"
        element, count = innermost(symbol.type)
        self.bindings[symbol] = self._brought(place, symbol.name, space, element, count)

    def _brought(self, place: int, name: str, space: str, element: CType, count: int) -> Base:
        """The array of `count` elements that argument `place` brings."""
        view, address = self.writer.fresh("V_" + name), self.writer.fresh("p_" + name)
        self.prologue.append(
            f"{view}, {address} = arguments[{place}].view, arguments[{place}].value"
        )
        self.bases[view] = (place, 0)
        return Base(space, name, view, element, address, "", count)

    def _viewed(self, place: int, symbol: tree.Symbol, mode: str, name: str) -> PointerVariable:
        assert isinstance(symbol.type, Pointer)
        view = self.writer.fresh("V_" + symbol.name)
        self.prologue.append(f"{view} = arguments[{place}].view")
        shift = ""
        if mode == SHIFTED:
            shift = self.writer.fresh("shift")
            self.prologue.append(f"{shift} = arguments[{place}].shift")
        self.bases[view] = (place, 0)
        base = Base("global", symbol.name, view, symbol.type.to, name, shift)
        return PointerVariable(base, zero(), zero().type)

    def alias(self, base: Base, part: Base, accessor: str, at: int) -> str:
        """A view of what `accessor` picks out of the structures in `base`, `at` bytes in each."""
        key = base.view, accessor
        if key in self.aliases:
            return self.aliases[key]
        view = self.aliases[key] = self.writer.fresh(base.view.rsplit("_", 1)[0])
        line = f"{view} = {base.view}{accessor}"
        if base.space == "local" and self.stack is not None:
            self.stack.append((line, ""))
            return view
        self.prologue.append(line)
        if base.space == "shared":
            self.prologue.append(f"flat_{view} = flat({part.address}, {dtype_name(part.element)})")
        if base.view in self.bases:
            place, offset = self.bases[base.view]
            self.bases[view] = (place, offset + at)
        return view

    def _text(self, name: str) -> tuple[str, dict[int, Origin]]:
        head = [f"def {name}(launch, arguments):"]
        lines = [*_PROLOGUE, *(f"{t}_table = launch.table({t!r})" for t in self.tables)]
        lines += self.prologue
        for register in self.registers:
            if register.gathered:
                lines.append(f"{register.name} = np.zeros(lane_count, {_code_name(register.code)})")
        head += ["    " + line for line in lines]
        self.writer.lines[:0] = self.callee_lines
        self.writer.indent = 1
        self.writer.put("if False:")
        self.writer.put("    yield")
        body, origins = self.writer.finish("")
        shift = len(head) - 1
        return "\n".join(head) + body, {line + shift: origin for line, origin in origins.items()}


_PROLOGUE = [
    "log, lanes_0, lane_count = launch.log, launch.lanes, launch.lane_count",
    "budget, fuse, gone = launch.budget, launch.fuse, launch.gone",
    "warp_size = launch.warp_size",
    "local, shared, flat, load, store, resolve = (",
    "    launch.local, launch.shared, launch.flat, launch.load, launch.store, launch.resolve)",
    *(f"{n}_{a} = launch.extent({n!r}, {a!r})" for n in ("blockDim", "gridDim") for a in "xyz"),
]


def _code_name(code: str) -> str:
    return "b1" if code == "?" else code


def fetch(view: Any, index: int) -> Any:
    """The element that all lanes load."""
    return view[inside(index)]


def inside(index: int) -> int:
    """An index that all lanes share; negative ones are out of bounds, not counted from the end."""
    if index < 0:
        raise IndexError(index)
    return index


def nonnegative(index: Any) -> None:
    """Refuse 64-bit indices if some are negative."""
    if index.size and index.min() < 0:
        raise IndexError(index.min())


def row_index(view: Any, slot: Any, index: Any) -> Any:
    """Element `index` of each lane's block's shared array, counted in a flat view of all blocks."""
    if np.any(np.less(index, 0)) or np.any(np.greater_equal(index, view.shape[1])):
        raise IndexError("shared")
    size = view.dtype.itemsize
    return slot * (view.strides[0] // size) + index * (view.strides[1] // size)


def union(*lanes: Any) -> Any:
    """Disjoint ascending arrays of lanes as one."""
    some = [part for part in lanes if part.size]
    return some[0] if len(some) == 1 else np.sort(np.concatenate(lanes))


def spread(value: Any, count: int, dtype: Any) -> Any:
    """A writable array of `count` lanes with `value` in it."""
    result = np.empty(count, dtype)
    result[:] = value
    return result


_FUNCTIONS = (fetch, inside, nonnegative, row_index, union, spread, require, trap, no_value, deeper)

_HELPERS: dict[str, Any] = {
    "__builtins__": {},
    "np": np,
    "special": special,
    "b1": np.bool_,
    **{f"{kind}{size}": np.dtype(f"{kind}{size}").type for kind in "iu" for size in (1, 2, 4, 8)},
    **{dtype_name(vector): numpy_dtype(vector) for vector in VECTORS.values()},
    dtype_name(DIM3): numpy_dtype(DIM3),
    "f4": np.float32,
    "f8": np.float64,
    "nan": float("nan"),
    "inf": float("inf"),
    "int": int,
    "nobody": np.empty(0, np.int64),
    "count_nonzero": np.count_nonzero,
    **{n: getattr(atomics, n) for n in atomics.__all__},
    **{n: getattr(serving_order, n) for n in serving_order.__all__},
    **{n: getattr(warp, n) for n in warp.__all__},
    **{n: getattr(match_reduce, n) for n in match_reduce.__all__},
    **{n: getattr(groups, n) for n in groups.__all__},
    **{n: getattr(bits, n) for n in bits.__all__},
    **{n: getattr(arithmetic, n) for n in arithmetic.__all__},
    **{n: getattr(switch_labels, n) for n in switch_labels.__all__},
    **{f.__name__: f for f in _FUNCTIONS},
}


def viewed(kernel: tree.Function) -> tuple[str, ...]:
    """The modes in which every pointer points to the start of an array."""
    return tuple(VIEWED if isinstance(s.type, Pointer) else PLAIN for s in kernel.parameters)


def compile_kernel(
    kernel: tree.Function, modes: tuple[str, ...] | None = None, build: Build | None = None
) -> CompiledKernel:
    """Compile a checked kernel.

    `modes` says for each parameter how a pointer argument is bound, `build` what the kernel is
    compiled for.
    """
    return KernelEmitter(kernel, modes or viewed(kernel), build or Build()).compile()


__all__ = ["PLAIN", "SHIFTED", "VIEWED", "CompiledKernel", "compile_kernel", "dtype_name", "viewed"]
