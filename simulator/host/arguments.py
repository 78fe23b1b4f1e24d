"""Kernel arguments: what the host passes, checked, in the form that generated code takes."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from simulator.compile.kernel import PLAIN
from simulator.compile.values import dtype_code
from simulator.execute import order
from simulator.execute.device import Device
from simulator.execute.order import Argument, within
from simulator.host.array import MemoryPointer, ndarray
from simulator.ir import tree
from simulator.ir.types import Pointer, Scalar, Struct, size_of
from simulator.source import LaunchError


def bound(
    kernel: str, device: Device, place: int, symbol: tree.Symbol, value: Any
) -> tuple[str, Argument]:
    """One argument: how it is bound, and its value.

    Parameters
    ----------
    kernel : str
        The kernel's name, for messages.
    device : Device
        Where it is launched.
    place : int
        Which argument it is, from 1.
    symbol : Symbol
        The parameter.
    value : object
        What the host passes.

    Raises
    ------
    LaunchError
        If the parameter cannot take it.
    """
    if isinstance(symbol.type, Pointer):
        return _pointer(kernel, device, place, symbol, value)
    if isinstance(symbol.type, Struct):
        return PLAIN, _structure(kernel, device, place, symbol, symbol.type, value)
    assert isinstance(symbol.type, Scalar)
    value = _one(kernel, place, symbol, value)
    real = not isinstance(value, complex | np.complexfloating)
    if not isinstance(value, (numbers.Number, np.bool_)) or not real:
        raise _wrong(kernel, place, symbol, value, _value_hint(value))
    if isinstance(value, np.generic) and value.dtype.itemsize != size_of(symbol.type):
        raise _wrong(
            kernel,
            place,
            symbol,
            value,
            f"Pass numpy.{np.dtype(dtype_code(symbol.type)).name}(value): a GPU reads bytes.",
        )
    return PLAIN, Argument(_number(kernel, place, symbol, symbol.type, value))


def _one(kernel: str, place: int, symbol: tree.Symbol, value: Any) -> Any:
    """A host array of one element as that element, as in CuPy; anything else as it is."""
    if not isinstance(value, np.ndarray) or value.size != 1:
        return value
    if value.dtype.hasobject:
        raise _wrong(kernel, place, symbol, value, "Python objects mean nothing to a GPU.")
    if not value.dtype.isnative:
        hint = "Its bytes are in the other order: pass array.astype(array.dtype.newbyteorder('='))."
        raise _wrong(kernel, place, symbol, value, hint)
    return value.reshape(-1)[0]


def _value_hint(value: Any) -> str:
    """What to do about something that is no value for a number."""
    if isinstance(value, ndarray) and value.size == 1:
        return "A GPU would take its address for the number: pass int(array) or float(array)."
    if isinstance(value, np.ndarray):
        return "A host array of one element is a value; others must be on the device."
    return "Pass a Python or NumPy number."


def _structure(
    kernel: str, device: Device, place: int, symbol: tree.Symbol, ctype: Struct, value: Any
) -> Argument:
    """A structure's bytes in memory of the launch's own.

    Raises
    ------
    LaunchError
        If `value` is not a structure of that size.
    """
    hint = f"Pass a NumPy scalar, or an array of one, of the {ctype.size} bytes of `{ctype}`."
    value = _one(kernel, place, symbol, value)
    if isinstance(value, numbers.Number):
        value = np.asarray(value)[()]
    if isinstance(value, np.ndarray) and value.nbytes == ctype.size and value.size > 1:
        hint = f"{hint} This array becomes one: array.view('V{ctype.size}')."
    if not isinstance(value, np.generic):
        raise _wrong(kernel, place, symbol, value, hint)
    host = np.asarray(value)
    if host.nbytes != ctype.size or host.dtype.hasobject:
        size = f"{type(value).__name__} of {host.nbytes} bytes"
        what = f"argument {place} ({symbol}) cannot take a {size}"
        raise LaunchError(f"{kernel}: {what}", symbol.span, hint)
    return order.structure(device.memory, symbol.name, ctype, host)


def _number(kernel: str, place: int, symbol: tree.Symbol, ctype: Scalar, value: Any) -> Any:
    kind = np.dtype(ctype.code)
    if kind.kind in "iu":
        if isinstance(value, (float, np.floating)):
            raise _wrong(kernel, place, symbol, value, "Pass an int.")
        limits = np.iinfo(kind)
        if not limits.min <= int(value) <= limits.max:
            raise _wrong(
                kernel, place, symbol, value, f"It must be from {limits.min} to {limits.max}."
            )
        return kind.type(int(value))
    if kind.kind == "f" and isinstance(value, np.generic) and value.dtype.kind != "f":
        hint = f"Pass numpy.{kind.name}(value): a GPU takes its bytes for those of a `{ctype}`."
        raise _wrong(kernel, place, symbol, value, hint)
    if kind.kind == "f" and not isinstance(value, np.generic):
        exact = isinstance(value, float) and kind.itemsize == 8
        if not exact:
            hint = f"Pass numpy.{kind.name}(value): CuPy hands over a Python number as 64 bits."
            raise _wrong(kernel, place, symbol, value, hint)
    return kind.type(value)


def _wrong(kernel: str, place: int, symbol: tree.Symbol, value: Any, hint: str) -> LaunchError:
    shown = type(value).__name__
    if isinstance(value, (ndarray, np.ndarray)):
        shown = f"{'device' if isinstance(value, ndarray) else 'host'} array of {value.dtype}"
    elif isinstance(value, numbers.Number):
        shown = f"{shown} {value}"
    what = f"argument {place} ({symbol}) cannot take {shown}"
    return LaunchError(f"{kernel}: {what}", symbol.span, hint)


def _pointer(
    kernel: str, device: Device, place: int, symbol: tree.Symbol, value: Any
) -> tuple[str, Argument]:
    address = isinstance(value, np.ndarray) and value.dtype in (np.int64, np.uint64)
    value = _one(kernel, place, symbol, value) if address else value
    if isinstance(value, np.ndarray):
        raise _wrong(kernel, place, symbol, value, "Move it first: simulator.asarray(array).")
    if value is None or isinstance(value, numbers.Integral):
        return PLAIN, Argument(np.int64(int(value or 0)))
    if isinstance(value, MemoryPointer):
        return PLAIN, Argument(np.int64(value.ptr))
    if not isinstance(value, ndarray):
        raise _wrong(kernel, place, symbol, value, "Pass a device array.")
    if value.data.device is not device:
        raise _wrong(kernel, place, symbol, value, "The array lives on another simulated device.")
    assert isinstance(symbol.type, Pointer)
    _check_elements(kernel, place, symbol, symbol.type, value)
    return within(device.memory, symbol.type, value.data.ptr, value.data.allocation)


def _check_elements(
    kernel: str, place: int, symbol: tree.Symbol, ctype: Pointer, value: ndarray
) -> None:
    """A GPU would take any array.

    Here the kinds of elements must agree, because they were meant to.
    """
    if not isinstance(ctype.to, Scalar):
        return
    wanted = np.dtype(ctype.to.code)
    same = value.dtype.itemsize == wanted.itemsize and (value.dtype.kind == "f") == (
        wanted.kind == "f"
    )
    raw = value.dtype == np.uint8  # bytes may hold anything: a memory manager's pool, say
    if not same and not raw and wanted.itemsize > 1:
        raise _wrong(
            kernel,
            place,
            symbol,
            value,
            f"Make it a device array of {wanted}: array.astype({wanted.name!r}), or mend the "
            "kernel's parameter.",
        )
