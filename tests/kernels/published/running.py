"""Runs a case on a machine, and compares what it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simulator
from gpubfs.machines import nvrtc
from tests.kernels.published.case import Case, Run, Size, Texture, scalar
from tests.kernels.published.program import NotFoundError, Text, text_of
from tests.kernels.published.textures import bound, texels_of
from tests.simulator.builtins.test_curand_on_gpu import header_options as curand_options

_SCHEDULES = ("lockstep", "random:1")


@dataclass(frozen=True)
class Outcome:
    """What came of a case: equal, differs, refused, fault or skipped, and where or why."""

    word: str
    text: str = ""


def outcome_of(case: Case, folder: Path, gpu: bool = False) -> Outcome:
    """Run a case and return what came of it."""
    try:
        text = text_of(case, case.make(*case.given), folder)
    except NotFoundError as error:
        return Outcome("skipped", str(error))
    return _on_gpu(case, text) if gpu else _simulated(case, text)


def _simulated(case: Case, text: Text) -> Outcome:
    for schedule in _SCHEDULES:
        with simulator.Device(schedule=schedule):
            outcome = _ran(case, text, simulator, refusal=simulator.CompileError)
        if outcome.word != "equal":
            return Outcome(outcome.word, f"{schedule}: {outcome.text}")
    return _watched(case, text) if case.wrong else Outcome("equal")


def _watched(case: Case, text: Text) -> Outcome:
    """Ask the race checker about a source that is said to be wrong, and gives the right values."""
    with simulator.Device(), simulator.sanitize("race"):
        return _ran(case, text, simulator, refusal=simulator.CompileError)


def _on_gpu(case: Case, text: Text) -> Outcome:
    import cupy

    return _ran(case, text.for_nvrtc(), cupy, refusal=cupy.cuda.compiler.CompileException)


def _ran(case: Case, text: Text, machine: Any, refusal: type[Exception]) -> Outcome:
    run = case.make(*case.given)
    with TemporaryDirectory() as folder:
        try:
            found = _left(case, run, _module(text, run, machine, Path(folder)), machine)
        except refusal as error:
            return Outcome("refused", _first_line(error))
        except Exception as error:
            return Outcome("fault", f"{type(error).__name__}: {_first_line(error)}")
    for name, expected in run.expected.items():
        where = difference(found[name], expected, run.rtol, name in run.unordered)
        if where:
            return Outcome("differs", f"{name}{where}")
    return Outcome("equal")


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "")


def _module(text: Text, run: Run, machine: Any, folder: Path) -> Any:
    gpu = machine is not simulator
    names = tuple(one for one in text.instances if gpu or "<" in one)
    options = text.options(folder)
    if gpu:
        options += header_options()
        names += tuple(f"&{name}" for name in run.constants)
    return machine.RawModule(
        code=text.text,
        options=options,
        enable_cooperative_groups=run.cooperative,
        name_expressions=names or None,
    )


def header_options() -> tuple[str, ...]:
    """Return where NVRTC finds CUDA's headers, and cuRAND's."""
    return (*nvrtc.header_options(), *curand_options())


def _left(case: Case, run: Run, module: Any, machine: Any) -> Mapping[str, NDArray[Any]]:
    """Launch, and return what the arrays hold that are expected to hold something."""
    for name, values in run.constants.items():
        machine.ndarray(values.shape, values.dtype, module.get_global(name)).set(values)
    values = {name: _value(value, machine) for name, value in run.values.items()}
    for launch in run.launches:
        names = run.values if launch.arguments is None else launch.arguments
        given = tuple(values[a] if isinstance(a, str) else scalar(a) for a in names)
        kernel = module.get_function(launch.kernel or case.instance)
        if launch.shared > 48 * 1024:
            kernel.max_dynamic_shared_size_bytes = launch.shared
        kernel(_size(launch.grid), _size(launch.block), given, shared_mem=launch.shared)
    return {name: _taken(values[name], run.values[name]) for name in run.expected}


def _value(value: Any, machine: Any) -> Any:
    if isinstance(value, Texture):
        return bound(value, machine)
    return machine.asarray(value) if isinstance(value, np.ndarray) else scalar(value)


def _taken(value: Any, given: Any) -> NDArray[Any]:
    return texels_of(value, given) if isinstance(given, Texture) else value.get()


def _size(size: Size) -> tuple[int, ...]:
    return size if isinstance(size, tuple) else (size,)


def difference(
    found: NDArray[Any], expected: NDArray[Any], rtol: float, unordered: bool = False
) -> str:
    """Return where an array differs from what is expected, or nothing.

    Examples
    --------
    >>> difference(np.array([1, 2, 3]), np.array([1, 5, 3]), 0)
    '[1] is 2, not 5; 1 of 3 differ'
    """
    expected = np.asarray(expected)
    if found.shape != expected.shape:
        found = found.ravel()[: expected.size].reshape(expected.shape)
    if unordered:
        found, expected = np.sort(found, axis=None), np.sort(expected, axis=None)
    if expected.dtype.kind in "fc":
        wide = np.result_type(expected.dtype, np.float64)
        expected, given = expected.astype(wide), found.astype(wide)
        finite = np.isfinite(expected)
        scale = np.abs(expected[finite]).max(initial=0.0) * rtol
        with np.errstate(invalid="ignore"):
            apart = np.where(finite, ~(np.abs(given - expected) <= scale), given != expected)
        apart &= ~np.isnan(expected)
    else:
        apart = found != expected
    if not apart.any():
        return ""
    at = np.unravel_index(int(apart.argmax()), apart.shape)
    place = ", ".join(str(i) for i in at)
    count = f"{int(apart.sum())} of {apart.size} differ"
    return f"[{place}] is {found[at]}, not {expected[at]}; {count}"
