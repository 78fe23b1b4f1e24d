"""A module's variables outside functions: one set in the memory of each device that it runs on."""

from __future__ import annotations

import weakref
from collections.abc import Iterator

import numpy as np

from simulator.compile.kernel import CompiledKernel
from simulator.compile.layouts import innermost
from simulator.compile.values import dtype_code, numpy_dtype
from simulator.execute.device import Device
from simulator.execute.order import Argument
from simulator.hints.similar import one_of
from simulator.host.array import MemoryPointer
from simulator.ir import tree
from simulator.ir.types import Array, CType, Struct, size_of
from simulator.source import CompileError


class ModuleVariables:
    """The `__device__` and `__constant__` variables of one module.

    They are given memory, and their first values, when a device first needs them; what kernels and
    the host write stays until the module goes.
    """

    def __init__(self, program: tree.Program) -> None:
        self._declarations = {
            node.symbol.name: node
            for node in program.variables
            if node.symbol.storage is not tree.Storage.SHARED
        }

    def pointer(self, device: Device, name: str) -> MemoryPointer:
        """Where a variable is on `device`.

        Raises
        ------
        CompileError
            If the module has no such variable.
        """
        if name not in self._declarations:
            what = f"the source has no __device__ or __constant__ variable {name!r}"
            raise CompileError(what, hint=one_of("variables", name, self._declarations))
        placed = device.variables.setdefault(self, {})
        if name not in placed:
            placed[name] = _place(device, self._declarations[name])
        found: MemoryPointer = placed[name]
        return found

    def arguments(self, device: Device, kernel: CompiledKernel) -> list[Argument]:
        """What a kernel's generated code gets for the variables that it uses."""
        return [self._argument(device, symbol) for symbol in kernel.variables]

    def _argument(self, device: Device, symbol: tree.Symbol) -> Argument:
        pointer = self.pointer(device, symbol.name)
        element, _ = innermost(symbol.type)
        start, nbytes = pointer.ptr, pointer.allocation.nbytes
        view = device.memory.view(start, nbytes, numpy_dtype(element))
        return Argument(np.int64(start), view, 0, start)


def _place(device: Device, node: tree.Declaration) -> MemoryPointer:
    """Memory for a variable, with its first values in it, zero where it has none."""
    allocation = device.memory.allocate(size_of(node.symbol.type), node.symbol.name)
    if node.symbol.storage is tree.Storage.CONSTANT:
        device.memory.constants.append(allocation)
    pointer = MemoryPointer(device, allocation, allocation.start)
    weakref.finalize(pointer, device.memory.drop, allocation)
    raw = device.memory.arena[allocation.start : allocation.end]
    raw[:] = 0
    for at, literal in _literals(node):
        code = np.array(literal.value, dtype_code(literal.type))
        raw[at : at + code.nbytes] = code.reshape(1).view(np.uint8)
    return pointer


def _literals(node: tree.Declaration) -> Iterator[tuple[int, tree.Literal]]:
    """The numbers that a variable starts with, and how many bytes from its start they stand."""
    if node.value is not None:
        yield from _inside(node.value, 0)
    element, _ = innermost(node.symbol.type)
    for at, value in enumerate(node.values or ()):
        yield from _inside(value, at * size_of(element))


def _inside(node: tree.Expression, start: int) -> Iterator[tuple[int, tree.Literal]]:
    if isinstance(node, tree.Literal):
        yield start, node
        return
    assert isinstance(node, tree.Aggregate)
    for offset, value in zip(_offsets(node.type), node.values, strict=True):
        yield from _inside(value, start + offset)


def _offsets(ctype: CType) -> Iterator[int]:
    if isinstance(ctype, Struct):
        yield from (at for _, _, at in ctype.members)
    elif isinstance(ctype, Array):
        yield from (at * size_of(ctype.of) for at in range(ctype.length or 0))
