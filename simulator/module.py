"""Kernels for the host, with CuPy's names and signatures: `RawModule` and `RawKernel`."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from simulator import tree
from simulator.arguments import bound
from simulator.check import check
from simulator.compile.kernel import PLAIN, VIEWED, CompiledKernel, compile_kernel
from simulator.ctype import Pointer
from simulator.device import Device, current
from simulator.execute.geometry import Triple
from simulator.execute.launch import execute
from simulator.read import read
from simulator.read.headers import Folders
from simulator.similar import one_of
from simulator.source import CompileError, LaunchError, Source, Span

_MOST_BLOCKS = (2**31 - 1, 65535, 65535)
_MOST_THREADS = (1024, 1024, 64)
#: Characters of a source whose program is kept for the next module that has the same text.
_MOST_KEPT = 1 << 16


class RawModule:
    """A CUDA C source file, compiled for the simulator.

    Parameters
    ----------
    code : str, optional
        The source text.
    path : str, optional
        A file to read instead.
    options : tuple of str
        Compiler options: `-DNAME=VALUE` and `-IFOLDER` count; `-std=…`, `--use_fast_math` and the
        like are accepted and change nothing here.
    backend, translate_cucomplex, enable_cooperative_groups, name_expressions, jitify
        As in CuPy; the simulator has one backend.

    Raises
    ------
    CompileError
        With file, line, column and caret.

    Examples
    --------
    >>> import simulator
    >>> module = simulator.RawModule(code='''
    ... extern "C" __global__ void twice(int *a, int n) {
    ...   int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...   if (i < n) a[i] *= 2;
    ... }''')
    >>> a = simulator.arange(5, dtype="int32")
    >>> module.get_function("twice")((1,), (32,), (a, 5))
    >>> a.get().tolist()
    [0, 2, 4, 6, 8]
    """

    def __init__(
        self,
        code: str | None = None,
        path: str | None = None,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool = False,
    ) -> None:
        if (code is None) == (path is None):
            raise TypeError("RawModule takes code or path, one of the two")
        if code is not None and not isinstance(code, str):
            raise TypeError(f"code is a str of CUDA C, not {type(code).__name__}")
        if name_expressions:
            raise CompileError(
                "name_expressions are for templates, which are not supported yet",
                hint='Declare the kernel extern "C" and give its plain name to get_function.',
            )
        text = _text_of(path) if path is not None else str(code)
        self.code = text
        self.options = tuple(options)
        defines, folders = _parse_options(self.options)
        read_program = _program if len(text) <= _MOST_KEPT else _program.__wrapped__
        self.program = read_program(
            text, path or "<kernel>", tuple(defines.items()), tuple(folders), _state(folders)
        )

    def get_function(self, name: str) -> RawKernel:
        """The kernel called `name`."""
        return RawKernel._of(self, name)


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CompileError(
            f"{path} cannot be read as UTF-8 text", hint="Save it as plain text."
        ) from None


@lru_cache(maxsize=64)
def _program(
    text: str,
    name: str,
    defines: tuple[tuple[str, str], ...],
    folders: tuple[str, ...],
    state: tuple[tuple[str, int], ...],
) -> tree.Program:
    """The checked program; `state` is only there to tell changed headers apart."""
    return check(read(Source(text, name), dict(defines), Folders(folders)))


def _parse_options(options: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
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


_HARMLESS = ("-std=", "--std=", "-use_fast_math", "--use_fast_math", "-lineinfo", "--fmad", "-fmad")


def _state(folders: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """The headers in include folders and when they changed: a program read before may be stale."""
    files = (file for folder in folders for file in sorted(Path(folder).rglob("*.*h*")))
    return tuple((str(file), file.stat().st_mtime_ns) for file in files if file.is_file())


class RawKernel:
    """One kernel of a source text; call it to launch it.

    Parameters
    ----------
    code : str
        CUDA C source.
    name : str
        The kernel's name.
    options : tuple of str
        As for `RawModule`.
    backend, translate_cucomplex, enable_cooperative_groups, jitify
        As in CuPy; the simulator has one backend.
    """

    def __init__(
        self,
        code: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        *,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
    ) -> None:
        self._bind(RawModule(code, options=options), name)

    @classmethod
    def _of(cls, module: RawModule, name: str) -> RawKernel:
        kernel = cls.__new__(cls)
        kernel._bind(module, name)
        return kernel

    def _bind(self, module: RawModule, name: str) -> None:
        kernels = module.program.kernels
        if name not in kernels:
            what = f"the source has no kernel {name!r}"
            raise CompileError(what, hint=one_of("kernels", name, kernels))
        self.name = name
        self.code = module.code
        self.options = module.options
        self.function = kernels[name]
        #: Dynamic shared memory that launches may ask for beyond the 48 KiB of every block.
        self.max_dynamic_shared_size_bytes = 0
        self._compiled: dict[tuple[str, ...], CompiledKernel] = {}

    def __call__(
        self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], *, shared_mem: int = 0
    ) -> None:
        """Launch the kernel and wait for its end.

        Parameters
        ----------
        grid, block : tuple of 1 to 3 ints
            Blocks and threads along x, y and z.
        args : tuple
            One a parameter: device arrays for pointers, Python or NumPy numbers for values.
        shared_mem : int
            Bytes of dynamic shared memory a block.

        Raises
        ------
        LaunchError
            For a launch that a GPU would refuse.
        Fault
            When the kernel does something undefined.
        """
        device = current()
        blocks = self._extent("grid", grid, _MOST_BLOCKS)
        threads = self._extent("block", block, _MOST_THREADS)
        self._check_block(device, threads)
        if not isinstance(args, (tuple, list)):
            raise self._refused(
                f"launched with {type(args).__name__} as its arguments",
                "They are a tuple, which for one argument is written with a comma: (a,).",
            )
        wanted, given = len(self.function.parameters), len(args)
        if given != wanted:
            plural = "" if wanted == 1 else "s"
            raise self._refused(
                f"takes {wanted} argument{plural}, {given} given", f"Parameters: {self.signature}."
            )
        arguments = [
            bound(self.name, device, at, symbol, value)
            for at, (symbol, value) in enumerate(
                zip(self.function.parameters, args, strict=True), 1
            )
        ]
        kernel = self.compiled(tuple(mode for mode, _ in arguments))
        self._check_shared(device, kernel, shared_mem)
        execute(device, kernel, blocks, threads, [a for _, a in arguments], int(shared_mem))

    @property
    def signature(self) -> str:
        """The parameters as C writes them."""
        return ", ".join(map(str, self.function.parameters))

    def compiled(self, modes: tuple[str, ...] | None = None) -> CompiledKernel:
        """The generated Python for one way of binding the pointers; `text` shows it."""
        if modes is None:
            modes = tuple(
                VIEWED if isinstance(s.type, Pointer) else PLAIN for s in self.function.parameters
            )
        if modes not in self._compiled:
            self._compiled[modes] = compile_kernel(self.function, modes)
        return self._compiled[modes]

    def _refused(self, what: str, hint: str) -> LaunchError:
        return LaunchError(f"{self.name} {what}", self._name_span, hint)

    @property
    def _name_span(self) -> Span:
        """Where the kernel's name stands in its source."""
        span = self.function.span
        for number in range(span.line, span.end_line + 1):
            column = span.source.line(number).find(self.name) + 1
            if column:
                return Span(span.source, number, column, number, column + len(self.name))
        return span

    def _extent(self, what: str, sizes: Sequence[int], most: Triple) -> Triple:
        given = tuple(sizes) if isinstance(sizes, Sequence) else ()
        whole = all(isinstance(s, numbers.Integral) for s in given)
        if not whole or not 1 <= len(given) <= 3:
            raise self._refused(
                f"launched with {what} {sizes!r}", f"A {what} is a tuple of one to three ints."
            )
        x, y, z = (*(int(s) for s in given), 1, 1)[:3]
        for axis, size, limit in zip("xyz", (x, y, z), most, strict=True):
            if not 1 <= size <= limit:
                raise self._refused(
                    f"launched with {what}.{axis} = {size}", f"It must be from 1 to {limit:,}."
                )
        return x, y, z

    def _check_block(self, device: Device, block: Triple) -> None:
        threads, most = block[0] * block[1] * block[2], device.profile.threads_per_block
        if threads > most:
            raise self._refused(
                f"launched with {threads} threads a block ({block[0]} x {block[1]} x {block[2]})",
                f"A block has at most {most:,} threads; use more blocks of fewer threads.",
            )
        promised = self.function.max_threads
        if promised is not None and threads > promised:
            raise self._refused(
                f"launched with {threads} threads a block",
                f"Its __launch_bounds__ promises at most {promised}.",
            )

    def _check_shared(self, device: Device, kernel: CompiledKernel, dynamic: int) -> None:
        if dynamic < 0:
            raise self._refused(f"launched with shared_mem={dynamic}", "It counts bytes from 0.")
        wanted, most = kernel.shared_bytes + dynamic, device.profile.shared_per_block
        allowed = dynamic <= self.max_dynamic_shared_size_bytes and kernel.shared_bytes <= most
        if wanted > most and (not allowed or not dynamic):
            raise self._refused(
                f"needs {wanted:,} bytes of shared memory a block",
                f"{device.profile.title} gives a block {most:,}; use smaller shared arrays, or\n"
                "dynamic ones and set the kernel's max_dynamic_shared_size_bytes first.",
            )
        if wanted > device.profile.shared_per_multiprocessor:
            raise self._refused(
                f"needs {wanted:,} bytes of shared memory a block",
                f"A multiprocessor has {device.profile.shared_per_multiprocessor:,}.",
            )


__all__ = ["RawKernel", "RawModule"]
