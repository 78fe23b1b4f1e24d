"""Compiler options: those that count, those that change nothing here, and all others refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from simulator.source import CompileError

#: The spellings of the options that count.
_DEFINE = ("--define-macro", "-D")
_UNDEFINE = ("--undefine-macro", "-U")
_INCLUDE = ("--include-path", "-I")
DEFAULT_DEVICE = ("--device-as-default-execution-space", "-default-device")

_ANY, _WHOLE, _TRUTH = r".+", r"-?\d+", r"true|false"
#: Options without a value that change speed, messages or files, and no result.
_FLAGS = frozenset(
    """--device-c -dc --device-debug -G --generate-line-info -lineinfo
    --use_fast_math -use_fast_math --disable-warnings -w --restrict -restrict
    --device-int128 -device-int128 --extra-device-vectorization -extra-device-vectorization
    --display-error-number -err-no --no-display-error-number -no-err-no --no-cache -no-cache
    --minimal -minimal --pch -pch --no-source-include -no-source-include""".split()
)

#: Options with a value that change no result either, each with the values that NVRTC takes.
_VALUED = {
    **dict.fromkeys(["--gpu-architecture", "-arch"], r"(sm|compute|lto)_\d{2,3}[af]?"),
    **dict.fromkeys(["--maxrregcount", "-maxrregcount"], _WHOLE),
    **dict.fromkeys(["--relocatable-device-code", "-rdc"], _TRUTH),
    **dict.fromkeys(["--fmad", "-fmad", "--ftz", "-ftz"], _TRUTH),
    **dict.fromkeys(["--prec-sqrt", "-prec-sqrt", "--prec-div", "-prec-div"], _TRUTH),
    **dict.fromkeys(["--modify-stack-limit", "-modify-stack-limit"], _TRUTH),
    **dict.fromkeys(["--device-stack-protector", "-device-stack-protector"], _TRUTH),
    **dict.fromkeys(["--builtin-move-forward", "-builtin-move-forward"], _TRUTH),
    **dict.fromkeys(["--builtin-initializer-list", "-builtin-initializer-list"], _TRUTH),
    **dict.fromkeys(["--brief-diagnostics", "-brief-diag"], _TRUTH),
    **dict.fromkeys(["--dopt", "-dopt"], "on"),
    **dict.fromkeys(["--ptxas-options", "-Xptxas"], _ANY),
    **dict.fromkeys(["--diag-suppress", "-diag-suppress", "--diag-warn", "-diag-warn"], _ANY),
    **dict.fromkeys(["--optimization-info", "-opt-info", "--time", "-time"], _ANY),
    **dict.fromkeys(["--Ofast-compile", "-Ofc"], r"0|min|mid|max"),
    **dict.fromkeys(["--split-compile", "-split-compile"], _WHOLE),
}
#: The same; their value stands behind `=` and never alone.
_JOINED = {
    **dict.fromkeys(["--std", "-std"], r"c\+\+(03|11|14|17|20|23)"),
    "--use-bundled-headers": _ANY,
}

_MESSAGES = "the simulator's warnings have no numbers"
#: Options that NVRTC takes and that would change what a program means.
_REFUSED = {
    **dict.fromkeys(["--pre-include", "-include"], "write `#include` at the top of the source"),
    **dict.fromkeys(["--diag-error", "-diag-error"], _MESSAGES),
    **dict.fromkeys(["--fdevice-syntax-only", "-fdevice-syntax-only"], "it makes no kernels"),
    **dict.fromkeys(["--dlink-time-opt", "-dlto", "--gen-opt-lto"], "CuPy does not link"),
    **dict.fromkeys(["--device-float128", "-device-float128"], "use double"),
}

#: What nvcc takes and NVRTC does not, with and without a value.
_NVCC_FLAGS = frozenset(
    """-g --debug -O0 -O1 -O2 -O3 -m64 --extended-lambda -extended-lambda --expt-extended-lambda
    -expt-extended-lambda --expt-relaxed-constexpr -expt-relaxed-constexpr --device-link -dlink
    -lcudadevrt -lcudart -Wno-deprecated-gpu-targets""".split()
)
_NVCC_VALUED = dict.fromkeys(
    """--optimize -O --generate-code -gencode --gpu-code -code --compiler-options -Xcompiler
    --compiler-bindir -ccbin --threads -t""".split(),
    _ANY,
)


@dataclass
class Options:
    """What compiler options say about a program.

    Parameters
    ----------
    defines
        macros, by their names
    folders
        where headers are looked for, in this order
    default_device
        whether functions and variables without `__device__` are the device's
    """

    defines: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    default_device: bool = False


def parse_options(options: Sequence[str], backend: str = "nvrtc") -> Options:
    """What compiler options say.

    Parameters
    ----------
    options
        as CuPy passes them on: one entry an option, or two for an option and its value
    backend
        the compiler whose options they are, nvrtc or nvcc

    Raises
    ------
    CompileError
        at an option that the compiler does not take, or the simulator does not support

    Examples
    --------
    >>> parse_options(("-DWIDTH=8", "-D", "CHECK", "--maxrregcount=32")).defines
    {'WIDTH': '8', 'CHECK': '1'}
    """
    result, waiting = Options(), iter(options)
    for option in waiting:
        if not isinstance(option, str):
            raise TypeError(f"a compiler option is a str, not {type(option).__name__}")
        if not _counts(option, waiting, result):
            _check(option, waiting, backend)
    return result


def _counts(option: str, waiting: Iterator[str], result: Options) -> bool:
    """Carry out an option, if it is one that counts, and say whether it is."""
    if option in DEFAULT_DEVICE:
        result.default_device = True
    elif (text := _value(option, _DEFINE, waiting)) is not None:
        name, sign, value = text.partition("=")
        result.defines[_macro(name, option)] = value.strip() if sign else "1"
    elif (text := _value(option, _UNDEFINE, waiting)) is not None:
        result.defines.pop(_macro(text, option), None)
    elif (text := _value(option, _INCLUDE, waiting)) is not None:
        result.folders.append(text)
    else:
        return False
    return True


def _value(option: str, names: tuple[str, str], waiting: Iterator[str]) -> str | None:
    """What follows one of an option's names, perhaps in the next entry; None if it is another."""
    whole, short = names
    if option in names:
        return _next(option, waiting)
    if option.startswith(f"{whole}="):
        return option.removeprefix(f"{whole}=").strip()
    if option.startswith(short):
        return option.removeprefix(short).removeprefix("=").strip()
    return None


def _next(option: str, waiting: Iterator[str]) -> str:
    """The entry behind an option that needs a value."""
    value = next(waiting, None)
    if value is None:
        what = f"the compiler option {option!r} needs a value"
        raise CompileError(what, hint=f"Write {option!r} and the value as two entries, or as one.")
    return value.strip()


def _macro(name: str, option: str) -> str:
    if not name.isidentifier():
        what = f"the compiler option {option!r} names no macro: {name!r}"
        raise CompileError(what, hint="Write -DNAME=VALUE or -DNAME.")
    return name


def _check(option: str, waiting: Iterator[str], backend: str) -> None:
    """Go past an option that changes nothing here.

    Raises
    ------
    CompileError
        at any other
    """
    nvcc = backend == "nvcc"
    name, sign, value = option.partition("=")
    if option in _FLAGS or (nvcc and option in _NVCC_FLAGS):
        return
    valued = {**_VALUED, **(_NVCC_VALUED if nvcc else {})}
    pattern = valued.get(name) or (_JOINED.get(name) if sign else None)
    if pattern is None:
        raise _unknown(option, name)
    value = value if sign else _next(option, waiting)
    if not re.fullmatch(pattern, value):
        what = f"the compiler option {name!r} does not take {value!r}"
        raise CompileError(what, hint=_SHOWN.get(pattern, "See NVRTC's documentation."))


_SHOWN = {_TRUTH: "It is true or false.", _WHOLE: "It is a whole number."}
_TAKEN = "The simulator takes -DNAME=VALUE, -UNAME, -IFOLDER, -std=c++NN, -default-device and\n"


def _unknown(option: str, name: str) -> CompileError:
    """The error for an option that is not taken."""
    what = f"the compiler option {option!r} is not supported"
    if name in _REFUSED:
        return CompileError(what, hint=f"Leave it out: {_REFUSED[name]}.")
    if option in _NVCC_FLAGS or name in _NVCC_VALUED:
        what = f"NVRTC does not take the compiler option {option!r}"
        return CompileError(what, hint="Leave it out: it is one of nvcc's (backend='nvcc').")
    known = [*_FLAGS, *_VALUED, *_JOINED, *DEFAULT_DEVICE, _DEFINE[0], _INCLUDE[0]]
    meant = get_close_matches(name, sorted(known), n=1, cutoff=0.8)
    hint = f"did you mean {meant[0]}?\n" if meant and name not in known else ""
    return CompileError(what, hint=f"{hint}{_TAKEN}those that change speed only.")


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
