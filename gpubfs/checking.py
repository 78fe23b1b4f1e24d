"""One CUDA file in front of both compilers: the simulator's and NVRTC."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpubfs import nvrtc
from gpubfs.errors import UsageError
from gpubfs.technique import KERNELS

if TYPE_CHECKING:
    from simulator.tree import Function, Program


def check_file(path: Path, defines: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the simulator and NVRTC say of a CUDA file.

    Parameters
    ----------
    path : Path
        The file; it may include headers that stand beside it, and gpubfs's own.
    defines : tuple of str
        Macros as NAME=VALUE.

    Returns
    -------
    dict
        ``ok``, whether the simulator accepts the file; ``diagnostics``, its messages; ``notes``,
        what CuPy would take otherwise; ``kernels``, each with its parameters; ``nvrtc``, the other
        compiler's verdict or why there is none.
    """
    from simulator.source import SimulatorError, render

    try:
        program = _read(path, defines)
    except SimulatorError as error:
        return _result(path, defines, [str(error)])
    kernels = list(program.kernels.values())
    if not kernels:
        message = render("error", f"no kernel was found in {path}", None, _FIRST_KERNEL)
        return _result(path, defines, [message])
    return _result(path, defines, [], [_kernel(function) for function in kernels], _notes(kernels))


_FIRST_KERNEL = 'write one: extern "C" __global__ void name(…) { … }'


def _read(path: Path, defines: tuple[str, ...]) -> Program:
    """The program, each of its kernels compiled for the simulator."""
    from simulator.check import check
    from simulator.compile.kernel import PLAIN, VIEWED, compile_kernel
    from simulator.ctype import Pointer
    from simulator.read import read
    from simulator.read.headers import Folders
    from simulator.source import Source

    macros = {name: value or "1" for name, _, value in (d.strip().partition("=") for d in defines)}
    folders = list(dict.fromkeys((path.parent, KERNELS)))
    program = check(read(Source(_text(path), str(path)), macros, Folders(folders)))
    for function in program.kernels.values():
        pointers = (isinstance(symbol.type, Pointer) for symbol in function.parameters)
        compile_kernel(function, tuple(VIEWED if pointer else PLAIN for pointer in pointers))
    return program


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text: {error.reason}"
        raise UsageError(message, "give a CUDA source file") from None


def _notes(kernels: list[Function]) -> list[str]:
    """What the simulator accepts but CuPy does not find."""
    from simulator.source import render

    what = 'is not extern "C": CuPy finds it under its mangled name only'
    hint = 'write `extern "C"` before `__global__`'
    return [
        render("note", f"the kernel `{function.name}` {what}", function.span, hint)
        for function in kernels
        if function.linkage != "C"
    ]


def _result(
    path: Path,
    defines: tuple[str, ...],
    diagnostics: list[str],
    kernels: Sequence[dict[str, Any]] = (),
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    return {
        "ok": not diagnostics,
        "diagnostics": diagnostics,
        "notes": list(notes),
        "kernels": list(kernels),
        "nvrtc": _verdict(path, defines),
    }


def _kernel(function: Function) -> dict[str, Any]:
    parameters = [{"name": s.name, "type": str(s.type)} for s in function.parameters]
    return {"name": function.name, "line": function.span.line, "parameters": parameters}


def _verdict(path: Path, defines: tuple[str, ...]) -> str:
    compiler, reason = nvrtc.load()
    if compiler is None:
        return f"not asked ({reason})"
    try:
        return nvrtc.compile_file(path, defines=defines) or "ok"
    except RuntimeError as error:
        return str(error)
