"""One file in front of both compilers, kernel by kernel."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gpubfs.machines import nvrtc
from gpubfs.machines.checking import compile_for_simulator
from gpubfs.machines.corpus.device_part import DeviceProgram
from gpubfs.machines.corpus.python_strings import kernel_strings
from simulator.source import SimulatorError

_IN_STD = "\nnamespace std { using namespace cuda::std; }\n"
_MATH = """#pragma once
#define M_PI 3.14159265358979323846
#define M_SQRT1_2 0.70710678118654752440
"""
#: What nvcc knows without a header, as NVRTC gets it where a text has the name.
PLAIN = {"INFINITY": "__int_as_float(0x7f800000)", "NAN": "__int_as_float(0x7fffffff)"}
_NOTHING = """cuda.h cuda_runtime.h cuda_runtime_api.h cuda_profiler_api.h
device_launch_parameters.h assert.h cassert cstdio cstdlib cstring ctime memory.h
stdbool.h stdio.h stdlib.h string.h time.h""".split()


def _of_cuda(name: str) -> str:
    """Return a header that brings what CUDA's library has under a header's name."""
    return f"#pragma once\n#include <cuda/std/{name}>{_IN_STD}"


#: What NVRTC finds in the place of the headers of C's and C++'s library, which it does not bring.
C_HEADERS = {
    **dict.fromkeys(_NOTHING, ""),
    **dict.fromkeys(
        ["cublas.h", "cublas_v2.h"], "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
    ),
    **dict.fromkeys(["stdint.h", "cstdint", "inttypes.h", "cinttypes"], _of_cuda("cstdint")),
    **dict.fromkeys(["limits.h", "climits"], "#include <cuda/std/climits>\n"),
    **dict.fromkeys(["float.h", "cfloat"], "#include <cuda/std/cfloat>\n"),
    **dict.fromkeys(["stddef.h", "cstddef"], _of_cuda("cstddef")),
    **dict.fromkeys(["math.h", "cmath"], _MATH),
    **{
        name: _of_cuda(name)
        for name in "array functional limits ratio tuple type_traits utility".split()
    },
}
#: What the simulator says where a kernel stands in a branch of a condition that is not taken.
_NOT_COMPILED = "no kernel was found in "


@dataclass(frozen=True)
class Cause:
    """Why the simulator refuses a kernel: its message, and where that points."""

    message: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Verdict:
    """What both compilers say of one kernel.

    Attributes
    ----------
    kernel, file, line
        Which kernel.
    nvrtc : bool or None
        Whether NVRTC accepts it, None where it was not asked; a kernel that it refuses counts not.
    nvrtc_text : str
        The first line of NVRTC's error.
    cause : Cause or None
        Why the simulator refuses it, None where it accepts it.
    seconds : float
        How long the simulator took.
    """

    kernel: str
    file: str
    line: int
    nvrtc: bool | None = None
    nvrtc_text: str = ""
    cause: Cause | None = None
    seconds: float = 0.0

    @property
    def counts(self) -> bool:
        """Whether it is a kernel that the simulator should accept."""
        return self.nvrtc is not False

    @property
    def accepted(self) -> bool:
        """Whether it counts and the simulator accepts it."""
        return self.counts and self.cause is None


@dataclass(frozen=True)
class Settings:
    """How files are read: macros as NAME=VALUE, and folders of headers."""

    defines: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()


def programs(file: Path, settings: Settings) -> Iterator[DeviceProgram]:
    """Yield the programs in a file: one of CUDA, or those in the strings of one in Python."""
    text = file.read_text(encoding="utf-8-sig", errors="replace")
    made = partial(DeviceProgram, folder=file.parent, folders=settings.folders)
    if file.suffix != ".py":
        yield made(text, str(file))
        return
    for _, string in kernel_strings(text):
        yield made(string, str(file), default_device=True)


def kernels_of(program: DeviceProgram) -> list[Verdict]:
    """Return the kernels of a program, not judged yet."""
    return [
        Verdict(one.name, program.name, program.text.count("\n", 0, one.start) + 1)
        for one in program.kernels
    ]


def judged(program: DeviceProgram, number: int, settings: Settings) -> Verdict:
    """Return what both compilers say of a kernel, which stands alone with what it needs."""
    kernel = program.kernels[number]
    blank = kernels_of(program)[number]
    text, headers = program.of([kernel])
    accepts, log = _nvrtc(program, text, headers, settings)
    verdict = replace(blank, nvrtc=accepts, nvrtc_text=log)
    if accepts is False:
        return verdict
    started = time.perf_counter()
    cause = _cause(program, text, headers, settings)
    if cause is not None and cause.message.startswith(_NOT_COMPILED):
        return replace(blank, nvrtc=False, nvrtc_text="it is in a condition that does not hold")
    return replace(verdict, cause=cause, seconds=time.perf_counter() - started)


def _cause(
    program: DeviceProgram, text: str, headers: Mapping[str, str], settings: Settings
) -> Cause | None:
    """Return why the simulator refuses a text."""
    try:
        refused = compile_for_simulator(
            text, program.name, headers, settings.defines, program.default_device
        )
    except SimulatorError as error:
        refused = error
    except Exception as error:  # a mistake of the simulator's counts as a refusal
        return Cause(f"mistake of the simulator: {type(error).__name__}: {error}")
    if refused is None:
        return None
    span = refused.span
    return Cause(refused.message, span.source.name if span else "", span.line if span else 0)


def _nvrtc(
    program: DeviceProgram, text: str, headers: Mapping[str, str], settings: Settings
) -> tuple[bool | None, str]:
    """Return NVRTC's verdict, and its error if it has one."""
    compiler, _ = nvrtc.load()
    if compiler is None:
        return None, ""
    own = [f"-I{folder}" for folder in settings.folders]
    own += [f"-D{define}" for define in settings.defines]
    options = ("-arch=sm_90", *own, *nvrtc.launch_options(text))
    options += tuple(f"-D{name}={value}" for name, value in PLAIN.items() if name in program.text)
    options += ("-default-device",) if program.default_device else ()
    try:
        nvrtc.compile_alone(text, Path(program.name).name, options, {**C_HEADERS, **headers})
    except RuntimeError as error:
        return False, _first_error(str(error))
    return True, ""


def _first_error(log: str) -> str:
    lines = [line for line in log.splitlines() if "error" in line]
    return lines[0].strip() if lines else log.strip()[:200]
