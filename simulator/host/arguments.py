"""What a kernel's generated code is passed: arguments of the host, variables of the module."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from simulator.compile.compiled import PLAIN, CompiledKernel
from simulator.compile.dtypes import dtype_code, in_memory, innermost, numpy_dtype
from simulator.execute.device import Device
from simulator.execute.launch_config import Argument, pointer_argument, structure_argument
from simulator.hints.similar import one_of
from simulator.host.array import ndarray
from simulator.host.pointer import MemoryPointer, allocated
from simulator.host.texture import SurfaceObject, TextureObject
from simulator.ir import tree
from simulator.ir.types import (
    ULLONG,
    Array,
    Bits,
    CType,
    Pointer,
    Scalar,
    Struct,
    is_complex,
    size_of,
)
from simulator.lanes.bit_fields import insert_bits
from simulator.source import CompileError, LaunchError

#: What kernels take for handles.
OBJECTS = (TextureObject, SurfaceObject)

# A module's variables outside functions: one set in the memory of each device that it runs on.


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
        """Return where a variable is on `device`.

        Raises
        ------
        CompileError
            If the module has no such variable.
        """
        if name not in self._declarations:
            what = f"the source has no __device__ or __constant__ variable {name!r}"
            raise CompileError(what, hint=one_of("variables", name, self._declarations))
        pointers = device.variables.setdefault(self, {})
        if name not in pointers:
            pointers[name] = _allocate(device, self._declarations[name])
        found: MemoryPointer = pointers[name]
        return found

    def arguments(self, device: Device, kernel: CompiledKernel) -> list[Argument]:
        """Return what a kernel's generated code gets for the variables that it uses."""
        return [self._argument(device, symbol) for symbol in kernel.variables]

    def _argument(self, device: Device, symbol: tree.Symbol) -> Argument:
        pointer = self.pointer(device, symbol.name)
        element, _ = innermost(symbol.type)
        start, nbytes = pointer.ptr, pointer.allocation.nbytes
        view = device.memory.view(start, nbytes, numpy_dtype(element))
        return Argument(np.int64(start), view, 0, start)


def _allocate(device: Device, node: tree.Declaration) -> MemoryPointer:
    """Allocate a variable, with its first values in it, zero where it has none."""
    pointer = allocated(device, size_of(node.symbol.type), node.symbol.name)
    allocation = pointer.allocation
    if node.symbol.storage is tree.Storage.CONSTANT:
        device.memory.constants.append(allocation)
    raw = device.memory.arena[allocation.start : allocation.end]
    raw[:] = 0
    for at, literal in _literals(node):
        code = np.array(in_memory(literal.value, literal.type), dtype_code(literal.type))
        raw[at : at + code.nbytes] = code.reshape(1).view(np.uint8)
    for at, ctype, number in _bits(node):
        unit = raw[at : at + ctype.size].view(f"u{ctype.size}")
        unit[:] = insert_bits(unit, ctype.shift, ctype.width, np.int64(number).astype(unit.dtype))
    return pointer


def _literals(node: tree.Declaration) -> Iterator[tuple[int, tree.Literal]]:
    """Yield a variable's first values, each with its offset in bytes."""
    if node.value is not None:
        yield from _inside(node.value, 0)
    element, _ = innermost(node.symbol.type)
    for at, value in enumerate(node.values or ()):
        yield from _inside(value, at * size_of(element))


def _inside(node: tree.Expression, start: int) -> Iterator[tuple[int, tree.Literal]]:
    if isinstance(node, tree.Literal):
        yield start, node
        return
    for at, ctype, value in _parts(node):
        if not isinstance(ctype, Bits):
            yield from _inside(value, start + at)


def _parts(node: tree.Expression) -> Iterator[tuple[int, CType, tree.Expression]]:
    """Yield the members or elements of a list, each with its place, type and value."""
    assert isinstance(node, tree.Aggregate)
    if isinstance(node.type, Struct):
        yield from ((at, ctype, value) for _, ctype, at, value in node.parts)
    elif isinstance(node.type, Array):
        of = node.type.of
        yield from ((at * size_of(of), of, value) for at, value in enumerate(node.values))


def _bits(node: tree.Declaration) -> Iterator[tuple[int, Bits, int]]:
    """Yield the bit fields of a variable: where their units are, and their first values."""
    element, _ = innermost(node.symbol.type)
    values = [*((node.value,) if node.value is not None else ()), *(node.values or ())]
    waiting = [(at * size_of(element), value) for at, value in enumerate(values)]
    while waiting:
        start, value = waiting.pop()
        for at, ctype, inner in _parts(value) if isinstance(value, tree.Aggregate) else ():
            if isinstance(ctype, Bits):
                assert isinstance(inner, tree.Literal)
                yield start + at, ctype, int(inner.value)
            else:
                waiting.append((start + at, inner))


# Kernel arguments: what the host passes, checked, in the form that generated code takes.


def bound(
    kernel: str, device: Device, number: int, symbol: tree.Symbol, value: Any
) -> tuple[str, Argument]:
    """Check and bind one argument.

    Parameters
    ----------
    kernel : str
        The kernel's name, for messages.
    device : Device
        Where it is launched.
    number : int
        Which argument it is, from 1.
    symbol : Symbol
        The parameter.
    value : object
        What the host passes.

    Returns
    -------
    str, Argument
        How it is bound (see `compile.kernel`), and its value.

    Raises
    ------
    LaunchError
        If the parameter cannot take it.
    """
    given = _Given(kernel, number, symbol)
    if isinstance(symbol.type, Pointer):
        return _pointer(given, device, symbol.type, value)
    value = _handle(given, device, value) if isinstance(value, OBJECTS) else given.one(value)
    if isinstance(symbol.type, Struct):
        return PLAIN, _structure(given, device, symbol.type, value)
    assert isinstance(symbol.type, Scalar)
    return PLAIN, Argument(_number(given, symbol.type, value))


@dataclass(frozen=True)
class _Given:
    """An argument that is being checked: the kernel, which one it is, and its parameter."""

    kernel: str
    number: int
    symbol: tree.Symbol

    def refuse(self, value: Any, hint: str) -> NoReturn:
        """Raise that the parameter cannot take `value`."""
        shown = type(value).__name__
        if isinstance(value, (ndarray, np.ndarray)):
            shown = f"{'device' if isinstance(value, ndarray) else 'host'} array of {value.dtype}"
        elif isinstance(value, numbers.Number):
            shown = f"{shown} {value}"
        self.refuse_as(shown, hint)

    def refuse_as(self, shown: str, hint: str) -> NoReturn:
        """Raise that the parameter cannot take what is `shown`."""
        what = f"{self.kernel}: argument {self.number} ({self.symbol}) cannot take {shown}"
        raise LaunchError(what, self.symbol.span, hint)

    def one(self, value: Any) -> Any:
        """Take a host array of one element for that element, as CuPy does."""
        if not isinstance(value, np.ndarray) or value.size != 1:
            return value
        if value.dtype.hasobject:
            self.refuse(value, "Python objects mean nothing to a GPU.")
        if not value.dtype.isnative:
            swap = "array.astype(array.dtype.newbyteorder('='))"
            self.refuse(value, f"Its bytes are in the other order: pass {swap}.")
        return value.reshape(-1)[0]


def _handle(given: _Given, device: Device, value: TextureObject | SurfaceObject) -> int:
    """Return the handle of a texture or a surface."""
    if value._device is not device:
        given.refuse(value, "It lives on another simulated device.")
    if given.symbol.type != ULLONG:
        given.refuse(value, f"Declare the parameter as cuda{type(value).__name__}_t.")
    return value.ptr


def _number(given: _Given, ctype: Scalar, value: Any) -> Any:
    """Convert a Python or NumPy number as the parameter holds it."""
    real = not isinstance(value, complex | np.complexfloating)
    if not isinstance(value, (numbers.Number, np.bool_)) or not real:
        given.refuse(value, _value_hint(value))
    kind = np.dtype(ctype.code)
    if isinstance(value, np.generic) and value.dtype.itemsize != kind.itemsize:
        given.refuse(value, f"Pass numpy.{kind.name}(value): a GPU reads bytes.")
    if kind.kind in "iu":
        return _integer(given, kind, value)
    if kind.kind == "f" and isinstance(value, np.generic) and value.dtype.kind != "f":
        hint = f"Pass numpy.{kind.name}(value): a GPU takes its bytes for those of a `{ctype}`."
        given.refuse(value, hint)
    exact = isinstance(value, float) and kind.itemsize == 8
    if kind.kind == "f" and not isinstance(value, np.generic) and not exact:
        hint = f"Pass numpy.{kind.name}(value): CuPy hands over a Python number as 64 bits."
        given.refuse(value, hint)
    return kind.type(value)


def _integer(given: _Given, kind: np.dtype[Any], value: Any) -> Any:
    if isinstance(value, (float, np.floating)):
        given.refuse(value, "Pass an int.")
    limits = np.iinfo(kind)
    if not limits.min <= int(value) <= limits.max:
        given.refuse(value, f"It must be from {limits.min} to {limits.max}.")
    return kind.type(int(value))


def _value_hint(value: Any) -> str:
    """Say what to do about something that is no value for a number."""
    if isinstance(value, ndarray) and value.size == 1:
        return "A GPU would take its address for the number: pass int(array) or float(array)."
    if isinstance(value, np.ndarray):
        return "A host array of one element is a value; others must be on the device."
    return "Pass a Python or NumPy number."


def _structure(given: _Given, device: Device, ctype: Struct, value: Any) -> Argument:
    """Copy a structure's bytes to memory of the launch's own."""
    hint = f"Pass a NumPy scalar, or an array of one, of the {ctype.size} bytes of `{ctype}`."
    if isinstance(value, numbers.Number):
        value = np.asarray(value)[()]
    if isinstance(value, np.ndarray) and value.nbytes == ctype.size and value.size > 1:
        hint = f"{hint} This array becomes one: array.view('V{ctype.size}')."
    if not isinstance(value, np.generic):
        given.refuse(value, hint)
    host = np.asarray(value)
    if host.nbytes != ctype.size or host.dtype.hasobject:
        given.refuse_as(f"a {type(value).__name__} of {host.nbytes} bytes", hint)
    return structure_argument(device.memory, given.symbol.name, ctype, host)


def _pointer(given: _Given, device: Device, ctype: Pointer, value: Any) -> tuple[str, Argument]:
    """Bind a pointer: to a device array, or to an address."""
    if isinstance(value, np.ndarray) and value.dtype in (np.int64, np.uint64):
        value = given.one(value)
    if isinstance(value, np.ndarray):
        given.refuse(value, "Move it first: simulator.asarray(array).")
    if value is None or isinstance(value, numbers.Integral):
        return PLAIN, Argument(np.int64(int(value or 0)))
    if isinstance(value, MemoryPointer):
        return PLAIN, Argument(np.int64(value.ptr))
    if not isinstance(value, ndarray):
        given.refuse(value, "Pass a device array.")
    if value.data.device is not device:
        given.refuse(value, "The array lives on another simulated device.")
    if isinstance(ctype.to, Scalar):
        _check_elements(given, np.dtype(ctype.to.code), value)
    elif is_complex(ctype.to) and value.dtype.kind == "c":
        _check_elements(given, np.dtype(f"c{size_of(ctype.to)}"), value)
    return pointer_argument(device.memory, ctype, value.data.ptr, value.data.allocation)


def _check_elements(given: _Given, wanted: np.dtype[Any], value: ndarray) -> None:
    """Refuse an array of other elements; a GPU would take any."""
    same = value.dtype.itemsize == wanted.itemsize
    same = same and all((value.dtype.kind == k) == (wanted.kind == k) for k in "fc")
    raw = value.dtype == np.uint8  # bytes may hold anything: a memory manager's pool, say
    if not same and not raw and wanted.itemsize > 1:
        convert = f"array.astype({wanted.name!r})"
        hint = f"Make it a device array of {wanted}: {convert}, or mend the kernel's parameter."
        given.refuse(value, hint)
