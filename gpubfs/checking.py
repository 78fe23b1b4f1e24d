"""One CUDA file in front of both compilers: the simulator's and NVRTC."""

from __future__ import annotations

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
        ``ok``, whether the simulator accepts the file; ``diagnostics``, its messages; ``kernels``,
        each with its parameters; ``nvrtc``, the other compiler's verdict or why there is none.
    """
    from simulator.source import SimulatorError

    try:
        program = _read(path, defines)
    except SimulatorError as error:
        return _result([str(error)], [], path, defines)
    return _result([], [_kernel(function) for function in program.kernels.values()], path, defines)


def _read(path: Path, defines: tuple[str, ...]) -> Program:
    from simulator import RawModule

    _check_text(path)
    folders = dict.fromkeys((path.parent, KERNELS))
    options = [f"-I{folder}" for folder in folders] + [f"-D{define}" for define in defines]
    module = RawModule(path=str(path), options=options)
    for name in module.program.kernels:
        module.get_function(name).compiled()
    return module.program


def _check_text(path: Path) -> None:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text: {error.reason}"
        raise UsageError(message, "give a CUDA source file") from None


def _result(
    diagnostics: list[str], kernels: list[dict[str, Any]], path: Path, defines: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "ok": not diagnostics,
        "diagnostics": diagnostics,
        "kernels": kernels,
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
