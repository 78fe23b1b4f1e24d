"""One CUDA file in front of both compilers: the simulator's and NVRTC."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from simulator.check import check
from simulator.check.templates import Trial, trials
from simulator.compile.kernel import compile_kernel
from simulator.ir.tree import Function, Program
from simulator.ir.unchecked import Unit
from simulator.program.default_device import on_device
from simulator.program.load import Folders, parse_options
from simulator.read import read
from simulator.source import CompileError, Diagnostic, SimulatorError, Source


@dataclass(frozen=True)
class Checked:
    """What both compilers say of a CUDA file.

    Attributes
    ----------
    name : str
        What messages call the file.
    diagnostics : list
        The simulator's errors, warnings and notes in the order of the text; `str` lays one out.
    kernels : list of Function
        The kernels, if the simulator accepts the file; of templates an instance that compiles.
    nvrtc_accepts : bool or None
        NVRTC's verdict, None where it is not installed.
    nvrtc_text : str
        What NVRTC said, or why it was not asked.
    templates : list of str
        The names of kernels that are templates.
    """

    name: str
    diagnostics: Sequence[Diagnostic | SimulatorError]
    nvrtc_accepts: bool | None
    nvrtc_text: str
    kernels: Sequence[Function] = field(default=())
    templates: Sequence[str] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether the simulator accepts the file and finds a kernel in it."""
        return bool(self.kernels or self.templates)

    def count(self, severity: str) -> int:
        """How many diagnostics of the simulator are errors, warnings or notes."""
        return sum(found.severity == severity for found in self.diagnostics)

    def as_dict(self) -> dict[str, Any]:
        """Return the same for programs, as `gpubfs check --json` prints it."""
        return {
            "file": self.name,
            "ok": self.ok,
            "diagnostics": [_diagnostic(found) for found in self.diagnostics],
            "kernels": [_kernel(function) for function in self.kernels],
            "nvrtc": {"accepts": self.nvrtc_accepts, "text": self.nvrtc_text},
        }


def check_file(path: Path, defines: tuple[str, ...] = ()) -> Checked:
    """Return what the simulator and NVRTC say of a CUDA file.

    Parameters
    ----------
    path : Path
        The file; it may include headers that stand beside it, and gpubfs's own.
    defines : tuple of str
        Macros as NAME=VALUE.

    Returns
    -------
    Checked
        Their verdicts.

    Raises
    ------
    UsageError
        If the file is no text.
    """
    return check_text(_decoded(path.read_bytes(), str(path)), str(path), path.parent, defines)


def check_text(
    text: str | bytes, name: str, folder: Path, defines: tuple[str, ...] = ()
) -> Checked:
    """Check a text; `name` is what messages call it, `folder` is where its headers stand.

    Examples
    --------
    >>> checked = check_text("__global__ void f(int *a) { a[0] = b; }", "f.cu", Path("."))
    >>> checked.ok, checked.diagnostics[0].message
    (False, '`b` is not declared')
    """
    text = _decoded(text, name) if isinstance(text, bytes) else text
    accepts, log = _nvrtc(text, name, folder, defines)
    try:
        program, tried = _program(text, name, folder, defines)
    except CompileError as error:
        return Checked(name, error.errors, accepts, log)
    except SimulatorError as error:
        return Checked(name, [error], accepts, log)
    kernels = list(program.kernels.values())
    if not kernels and not tried:
        none = CompileError(f"no kernel was found in {name}", None, _FIRST_KERNEL)
        return Checked(name, [*program.warnings, none], accepts, log)
    diagnostics = [*program.warnings, *_notes(kernels), *(one.diagnostic for one in tried)]
    kernels += [one.kernel for one in tried if one.kernel is not None]
    return Checked(name, diagnostics, accepts, log, kernels, [one.name for one in tried])


_FIRST_KERNEL = 'write one: extern "C" __global__ void name(…) { … }'


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{name} is not UTF-8 text: {error.reason}"
        raise UsageError(message, "give a CUDA source file") from None


@dataclass(frozen=True)
class _Tried:
    """A kernel that is a template: an instance that compiles, if one was found, and what to say."""

    name: str
    kernel: Function | None
    diagnostic: Diagnostic
    error: SimulatorError | None = None


def _program(
    text: str, name: str, folder: Path, defines: tuple[str, ...]
) -> tuple[Program, list[_Tried]]:
    """Compile the program for the simulator, templates for trial arguments."""
    folders = Folders(list(dict.fromkeys((folder, KERNELS))))
    return _compiled(text, name, folders, defines)


def compile_for_simulator(
    text: str, name: str, headers: Mapping[str, str], defines: tuple[str, ...], default_device: bool
) -> SimulatorError | None:
    """Compile all kernels of a text, and return what is wrong with templates of which none is.

    Raises
    ------
    SimulatorError
        At the first thing that is wrong with the text.
    """
    program, tried = _compiled(text, name, headers, defines, default_device)
    if not program.kernels and not tried:
        return CompileError(f"no kernel was found in {name}", None, _FIRST_KERNEL)
    refused = (one for one in tried if one.kernel is None)
    return next((one.error for one in refused if one.error is not None), None)


def _compiled(
    text: str,
    name: str,
    headers: Mapping[str, str],
    defines: tuple[str, ...],
    default_device: bool = False,
) -> tuple[Program, list[_Tried]]:
    macros = parse_options(tuple(f"-D{define.strip()}" for define in defines)).defines

    def unit_of(names: tuple[str, ...] = ()) -> Unit:
        unit = read(Source(text, name), macros, headers, names)
        return on_device(unit) if default_device else unit

    def instance(expression: str) -> Function:
        """One instance of a template, compiled."""
        made = check(unit_of((expression,)))
        kernel = made.functions[made.names[expression]]
        compile_kernel(kernel)
        return kernel

    unit = unit_of()
    program = check(unit)
    for function in program.kernels.values():
        compile_kernel(function)
    return program, [_tried(trial, instance) for trial in trials(unit)]


def _tried(trial: Trial, instance: Callable[[str], Function]) -> _Tried:
    """Return what comes of the instances of a template, of which one may compile."""
    first: SimulatorError | None = None
    for expression in trial.instances:
        try:
            kernel = instance(expression)
        except SimulatorError as error:
            first = first or error
            continue
        what = f"the kernel `{trial.name}` is a template: its instances are launched by their names"
        hint = f'RawModule(…, name_expressions=["{expression}"]), then get_function("{expression}")'
        return _Tried(trial.name, kernel, Diagnostic(what, trial.span, hint, severity="note"))
    assert first is not None
    what = f"`{trial.instances[0]}` does not compile: {first.message}"
    hint = first.hint.split(f"in `{trial.instances[0]}`")[0].strip()
    return _Tried(trial.name, None, Diagnostic(what, first.span or trial.span, hint), first)


def _notes(kernels: Sequence[Function]) -> list[Diagnostic]:
    """Return what the simulator accepts but CuPy does not find."""
    what = 'is not extern "C": CuPy finds it under its mangled name only'
    hint = 'write `extern "C"` before `__global__`'
    return [
        Diagnostic(f"the kernel `{function.name}` {what}", function.span, hint, severity="note")
        for function in kernels
        if function.linkage != "C"
    ]


def _diagnostic(found: Diagnostic | SimulatorError) -> dict[str, Any]:
    span = found.span
    return {
        "severity": found.severity,
        "file": span.source.name if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "message": found.message,
        "hint": found.hint,
        "text": str(found),
    }


def _kernel(function: Function) -> dict[str, Any]:
    parameters = [{"name": s.name, "type": str(s.type)} for s in function.parameters]
    return {"name": function.name, "line": function.span.line, "parameters": parameters}


def _nvrtc(text: str, name: str, folder: Path, defines: tuple[str, ...]) -> tuple[bool | None, str]:
    """NVRTC's verdict and what it said, or None and why it was not asked."""
    compiler, reason = nvrtc.load()
    if compiler is None:
        return None, reason
    try:
        return True, nvrtc.compile_text(text, Path(name).name, folder, defines=defines)
    except RuntimeError as error:
        return False, str(error)
