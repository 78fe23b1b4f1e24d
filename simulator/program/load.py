"""Programs as the host gives them: their text, compiler options and headers; each is read once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from os.path import abspath, isfile, join
from pathlib import Path
from typing import Any

from simulator.hints.similar import one_of
from simulator.ir import tree
from simulator.ir.additions import ADDED
from simulator.program.kept import Recorded, keep_program, kept_program
from simulator.program.remembered import Remembered
from simulator.source import CompileError, Source, Span

# Compiler options: those that count, those that change nothing here, and all others refused.


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
    **dict.fromkeys(
        """--relocatable-device-code -rdc --fmad -fmad --ftz -ftz --prec-sqrt -prec-sqrt
        --prec-div -prec-div --modify-stack-limit -modify-stack-limit --device-stack-protector
        -device-stack-protector --builtin-move-forward -builtin-move-forward
        --builtin-initializer-list -builtin-initializer-list --brief-diagnostics
        -brief-diag""".split(),
        _TRUTH,
    ),
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

    `defines` are macros by their names, `folders` where headers are looked for, in this order;
    `default_device` makes functions and variables without `__device__` the device's.
    """

    defines: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    default_device: bool = False


def parse_options(options: Sequence[str], backend: str = "nvrtc") -> Options:
    """Read compiler options.

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
    """Return what follows one of an option's names, maybe in the next entry; None for another."""
    whole, short = names
    if option in names:
        return _next(option, waiting)
    if option.startswith(f"{whole}="):
        return option.removeprefix(f"{whole}=").strip()
    if option.startswith(short):
        return option.removeprefix(short).removeprefix("=").strip()
    return None


def _next(option: str, waiting: Iterator[str]) -> str:
    """Return the entry behind an option that needs a value."""
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
    """Go past an option that changes nothing here, and refuse any other."""
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
    """Return the error for an option that is not taken."""
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


class Folders(Mapping[str, str]):
    """The files of include folders by their relative names, each read when it is asked for."""

    def __init__(self, folders: Sequence[str | Path]) -> None:
        self._folders = [abspath(folder) for folder in folders]

    def __getitem__(self, name: str) -> str:
        file = self._file(name)
        if file is None:
            raise KeyError(name)
        try:
            with open(file, encoding="utf-8") as opened:
                return opened.read()
        except (UnicodeDecodeError, OSError):
            what = f"the header `{name}` cannot be read as UTF-8 text"
            raise CompileError(what, None, "save it as plain text") from None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._file(name) is not None

    def __iter__(self) -> Iterator[str]:
        """Yield the headers that stand in the folders themselves."""
        files = (file for folder in self._folders for file in sorted(Path(folder).glob("*")))
        suffixes = (".cuh", ".h", ".hpp", ".inc")
        return iter(dict.fromkeys(file.name for file in files if file.suffix in suffixes))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _file(self, name: str) -> str | None:
        if "\0" in name:
            return None
        found = (abspath(join(folder, name)) for folder in self._folders)
        return next((at for at in found if self._holds(at) and isfile(at)), None)

    def _holds(self, file: str) -> bool:
        """Whether a file is in one of the folders: a program cannot read what is elsewhere."""
        return any(file.startswith(join(folder, "")) for folder in self._folders)


# Kernels by name: where they stand in the source, and the error for one that is not there.


def no_kernel(name: str, program: tree.Program) -> CompileError:
    """Return the error for the kernel `name`; instances of templates must be announced."""
    plain = name.split("<")[0].strip().lstrip("&")
    if plain in program.templates:
        full = name if "<" in name else f"{name}<…>"
        what = f"{plain!r} is a template, and {name!r} is not among the name_expressions"
        hint = f'Pass name_expressions=["{full}"] to RawModule, and get the function by it.'
        return CompileError(what, hint=hint)
    what = f"the source has no kernel {name!r}"
    found = program.functions.get(name)
    if found is not None:
        hint = "it is a `__device__` function: the host can launch `__global__` ones only"
        return CompileError(what, name_span(found), hint)
    if not program.kernels:
        return CompileError(what, hint='write one: extern "C" __global__ void name(…) { … }')
    return CompileError(what, hint=one_of("kernels", name, program.kernels))


def name_span(function: tree.Function) -> Span:
    """Where a function's name stands in its source."""
    span, name = function.span, function.name.split("<")[0].split("::")[-1]
    for number in range(span.line, span.end_line + 1):
        column = span.source.line(number).find(name) + 1
        if column:
            return Span(span.source, number, column, number, column + len(name))
    return span


#: Characters of a source whose program is kept for the next module that has the same text.
_MOST_KEPT = 1 << 16
#: Programs for modules that have the same text.
_REMEMBERED = Remembered(64)


def text_of(code: str | None, path: str | None) -> str:
    """Return the source text, given itself or by its file."""
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
    """Return the options of a module, in the form that CuPy asks for."""
    if not isinstance(options, tuple):
        what = "options is a tuple of str, which for one option is written with a comma: (option,)"
        raise TypeError(f"{what}; not {type(options).__name__}")
    if backend not in ("nvrtc", "nvcc"):
        raise ValueError(f"Invalid backend {backend}: it is nvrtc or nvcc")
    return options


def program_of(
    text: str, name: str, given: Options, names: tuple[str, ...], cooperative: bool
) -> tree.Program:
    """Check a source text, called `name` in messages.

    Parameters
    ----------
    text, name : str
        The source.
    given : Options
        What its compiler options say.
    names : tuple of str
        Functions that the host will ask for, instances of templates among them.
    cooperative : bool
        Whether the threads of a grid can wait for each other.

    Raises
    ------
    CompileError
        At the first thing that is wrong or not supported.
    """
    made_of = (
        text,
        name,
        tuple(given.defines.items()),
        tuple(given.folders),
        names,
        cooperative,
        given.default_device,
    )
    wanted, headers = (made_of, ADDED.rows), Folders(given.folders)
    program = _REMEMBERED.find(wanted, headers)
    if program is None:
        program, recorded = _program(made_of, given, headers)
        if len(text) <= _MOST_KEPT:
            _REMEMBERED.add(wanted, recorded.asked, program)
    return program


def forget_programs() -> None:
    """Forget the programs in memory: the next is read, or taken from disk.

    Kernels go with their programs.
    """
    _REMEMBERED.clear()


def _program(
    made_of: tuple[Any, ...], given: Options, headers: Folders
) -> tuple[tree.Program, Recorded]:
    """Take a program from disk, or read and check it; with what was asked of headers for that."""
    recorded = Recorded(headers)
    program = kept_program(made_of, recorded)
    if program is not None:
        return program, recorded
    from simulator.check import check
    from simulator.program.default_device import on_device
    from simulator.read import read

    text, name, _, _, names, cooperative, default_device = made_of
    recorded = Recorded(headers)
    unit = read(Source(text, name), dict(given.defines), recorded, names)
    program = check(on_device(unit) if default_device else unit, cooperative)
    return keep_program(program, made_of, recorded), recorded
