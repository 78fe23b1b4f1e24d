"""Programs as the host gives them: their text, their options, and those that were read before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from simulator.check import check
from simulator.ir import tree
from simulator.program.default_space import on_device
from simulator.program.options import Options, state_of
from simulator.read import read
from simulator.read.headers import Folders
from simulator.source import CompileError, Source

#: Characters of a source whose program is kept for the next module that has the same text.
_MOST_KEPT = 1 << 16


def text_of(code: str | None, path: str | None) -> str:
    """The source text, given itself or by its file.

    Raises
    ------
    CompileError
        if the file is no text
    """
    if path is None:
        if not isinstance(code, str):
            raise TypeError(f"code is a str of CUDA C, not {type(code).__name__}")
        return code
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        what = f"{path} cannot be read as UTF-8 text"
        raise CompileError(what, hint="Save it as plain text.") from None


def given_options(options: Sequence[str], backend: str) -> tuple[str, ...]:
    """The options of a module, in the form that CuPy asks for."""
    if not isinstance(options, tuple):
        what = "options is a tuple of str, which for one option is written with a comma: (option,)"
        raise TypeError(f"{what}; not {type(options).__name__}")
    if backend not in ("nvrtc", "nvcc"):
        raise ValueError(f"Invalid backend {backend}: it is nvrtc or nvcc")
    return options


def program_of(
    text: str, name: str, given: Options, names: tuple[str, ...], cooperative: bool
) -> tree.Program:
    """The checked program of a source text, called `name` in messages.

    Parameters
    ----------
    text, name
        the source
    given
        what its compiler options say
    names
        functions that the host will ask for, instances of templates among them
    cooperative
        whether its kernels are launched so that the threads of a grid can wait for each other

    Raises
    ------
    CompileError
        at the first thing that is wrong or not supported
    """
    read_program = _program if len(text) <= _MOST_KEPT else _program.__wrapped__
    return read_program(
        text,
        name,
        tuple(given.defines.items()),
        tuple(given.folders),
        state_of(given.folders),
        names,
        cooperative,
        given.default_device,
    )


@lru_cache(maxsize=64)
def _program(
    text: str,
    name: str,
    defines: tuple[tuple[str, str], ...],
    folders: tuple[str, ...],
    state: tuple[tuple[str, int], ...],
    names: tuple[str, ...],
    cooperative: bool,
    default_device: bool,
) -> tree.Program:
    """The checked program; `state` is only there to tell changed headers apart."""
    unit = read(Source(text, name), dict(defines), Folders(folders), names)
    return check(on_device(unit) if default_device else unit, cooperative)
