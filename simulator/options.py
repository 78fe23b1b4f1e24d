"""Compiler options: those that count, those that change nothing here, and all others refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simulator.source import CompileError


def parse_options(options: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """The macros and include folders among compiler options; unknown options are refused."""
    defines: dict[str, str] = {}
    folders: list[str] = []
    for option in options:
        if option.startswith("-D"):
            key, _, value = option[2:].strip().partition("=")
            defines[key] = value or "1"
        elif option.startswith("-I"):
            folders.append(option[2:].strip())
        elif not option.startswith(_HARMLESS):
            raise CompileError(
                f"the compiler option {option!r} is not supported",
                hint="The simulator takes -DNAME=VALUE, -IFOLDER and -std=c++NN.",
            )
    return defines, folders


#: What device-side launches are compiled and linked with.
_SEPARATE = (
    *("-dc", "--device-c", "-rdc", "--relocatable-device-code"),
    *("-dlink", "--device-link", "-lcudadevrt", "-lcudart"),
)
_HARMLESS = (
    *_SEPARATE,
    *("-std=", "--std=", "-use_fast_math", "--use_fast_math", "-lineinfo", "--fmad", "-fmad"),
)


def state_of(folders: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """What may be included from folders and when it changed: a program read before may be stale."""
    files = (
        f
        for folder in dict.fromkeys(folders)
        for p in _INCLUDED
        for f in sorted(Path(folder).rglob(p))
    )
    return tuple((str(file), file.stat().st_mtime_ns) for file in files if file.is_file())


#: How files are called that others include.
_INCLUDED = ("*.*h*", "*.cu")
