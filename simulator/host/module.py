"""Kernels for the host, with CuPy's names and signatures: `RawModule` and `RawKernel`."""

from __future__ import annotations

import marshal
import numbers
import warnings
from collections.abc import Sequence
from dataclasses import astuple, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from simulator.compile.compiled import CompiledKernel, viewed
from simulator.compile.runtime import function_of
from simulator.execute.device import Device, current
from simulator.execute.gang import SideEffects
from simulator.execute.launch import execute
from simulator.execute.launch_config import THREAD_COST, LaunchConfig
from simulator.execute.wave import Triple
from simulator.host.arguments import ModuleVariables, bound
from simulator.host.attributes import UNKNOWN, KernelAttributes
from simulator.host.clusters import cluster_refusal
from simulator.host.pointer import MemoryPointer
from simulator.host.properties import MOST_BLOCKS, MOST_THREADS
from simulator.host.shared_memory import launch_refusal
from simulator.ir import tree
from simulator.ir.events import Build
from simulator.program.kept import keep_kernel, kept_kernel, may_keep
from simulator.program.load import (
    given_options,
    name_span,
    no_kernel,
    parse_options,
    program_of,
    text_of,
)
from simulator.source import CompileError, LaunchError

__all__ = [
    "RawKernel",
    "RawModule",
]


#: Endings of what CuPy's RawModule loads and the simulator cannot.
_BINARIES = (".cubin", ".ptx", ".fatbin", ".hsaco")
#: What a pickled module is made of again.
_GIVEN = (
    *("code", "file_path", "options", "backend", "translate_cucomplex", "jitify"),
    *("enable_cooperative_groups", "name_expressions"),
)


class RawModule:
    """A CUDA C source file, compiled for the simulator.

    Parameters
    ----------
    code : str, optional
        The source text.
    path : str, optional
        A file to read instead.
    options : tuple of str
        Compiler options in NVRTC's spellings: `-DNAME=VALUE`, `-UNAME`, `-IFOLDER` and
        `-default-device` count; `-std=…`, `-G`, `--maxrregcount=…` and their like change nothing.
    enable_cooperative_groups : bool
        Launch kernels so that all threads of a grid can wait for each other.
    name_expressions : sequence of str, optional
        The instances of templates that get_function may ask for, such as `kernel<float, 256>`.
    backend, translate_cucomplex, jitify : object
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
        if name_expressions and backend != "nvrtc":
            raise ValueError("name_expressions need the backend nvrtc, as in CuPy")
        self.code, self.file_path = _read(code, path), path
        self.options, self.backend = given_options(options, backend), backend
        self.translate_cucomplex = bool(translate_cucomplex)
        self.enable_cooperative_groups = bool(enable_cooperative_groups)
        self.name_expressions = tuple(name_expressions or ())
        self.jitify = jitify
        self._load()

    def _load(self) -> None:
        """Read and check the source."""
        self.program = program_of(
            self.code,
            self.file_path or "<kernel>",
            parse_options(self.options, self.backend),
            self.name_expressions,
            self.enable_cooperative_groups,
        )
        self._launched: dict[str, RawKernel] = {}
        self.variables = ModuleVariables(self.program)

    def __getstate__(self) -> dict[str, Any]:
        """Return what it was made of: elsewhere it is read again."""
        return {name: getattr(self, name) for name in _GIVEN}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._load()

    def __copy__(self) -> RawModule:
        """Return the same module: as in CuPy, one process holds its variables once."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> RawModule:
        return self

    def compile(self, log_stream: Any = None) -> None:
        """Write the warnings about the source: a module is compiled when it is made.

        Parameters
        ----------
        log_stream : object, optional
            A file for them; by default they are not written.
        """
        if log_stream is not None:
            log_stream.writelines(f"{warning}\n" for warning in self.program.warnings)

    def get_function(self, name: str) -> RawKernel:
        """Return the kernel called `name`, which may be one of the name expressions.

        Parameters
        ----------
        name : str
            The kernel's name.

        Returns
        -------
        RawKernel
            Call it to launch it.

        Raises
        ------
        CompileError
            If there is no such kernel.
        """
        return RawKernel._of(self, name)

    def get_texref(self, name: str) -> NoReturn:
        """Refuse a texture reference, which CUDA 12 has no more.

        Parameters
        ----------
        name : str
            The reference's name.

        Raises
        ------
        AttributeError
            always
        """
        raise AttributeError(
            f"the simulator has no texture references, as CUDA from 12 on, and so no {name!r}: "
            "pass a cuda.texture.TextureObject to the kernel"
        )

    @property
    def module(self) -> NoReturn:
        """Refuse CuPy's handle of the driver's module."""
        raise AttributeError(
            "the simulator's RawModule has no 'module': there is no driver's module; use "
            "get_function and get_global"
        )

    def kernel(self, name: str) -> RawKernel:
        """Return the kernel called `name` that kernels launch: always the same object.

        Parameters
        ----------
        name : str
            As `get_function` takes it.

        Returns
        -------
        RawKernel
            The kernel.
        """
        if name not in self._launched:
            self._launched[name] = self.get_function(name)
        return self._launched[name]

    def get_global(self, name: str) -> MemoryPointer:
        """Where the `__device__` or `__constant__` variable called `name` is on the current device.

        Parameters
        ----------
        name : str
            The variable's name.

        Returns
        -------
        MemoryPointer
            Its address, for `ndarray(shape, dtype, pointer)`.

        Raises
        ------
        CompileError
            If there is no such variable.

        Examples
        --------
        >>> import simulator
        >>> module = simulator.RawModule(code="__constant__ float c[9];")
        >>> c = simulator.ndarray((9,), "float32", module.get_global("c"))
        >>> c[...] = 2
        """
        return self.variables.pointer(current(), name)


class RawKernel(KernelAttributes):
    """One kernel of a source text; call it to launch it.

    Parameters
    ----------
    code : str
        CUDA C source.
    name : str
        The kernel's name.
    options : tuple of str
        As for `RawModule`.
    enable_cooperative_groups : bool
        Launch it so that all threads of the grid can wait for each other.
    backend, translate_cucomplex, jitify : object
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
        module = RawModule(
            code,
            options=options,
            backend=backend,
            translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups,
            jitify=jitify,
        )
        self._bind(module, name)

    @classmethod
    def _of(cls, module: RawModule, name: str) -> RawKernel:
        kernel = cls.__new__(cls)
        kernel._bind(module, name)
        return kernel

    def compile(self, log_stream: Any = None) -> None:
        """Compile the kernel now and not at its first launch.

        Parameters
        ----------
        log_stream : object, optional
            A file for the compiler's words, which are the program's warnings.
        """
        self.compiled()
        self.module.compile(log_stream)

    def _bind(self, module: RawModule, name: str) -> None:
        kernels = module.program.kernels
        name = module.program.names.get(name, name)
        if name not in kernels or ("<" in name and name not in module.program.names.values()):
            raise no_kernel(name, module.program)
        self.name = name
        self.enable_cooperative_groups = module.enable_cooperative_groups
        self.module = module
        self.code, self.options, self.backend = module.code, module.options, module.backend
        self.variables = module.variables
        self.function = kernels[name]
        self._allowed_shared, self._carveout = 0, UNKNOWN
        self._compiled: dict[tuple[tuple[str, ...], Build], CompiledKernel] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what it was made of: elsewhere it is compiled again."""
        return {"module": self.module, "name": self.name, "allowed": self._allowed_shared}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._bind(state["module"], state["name"])
        self._allowed_shared = state["allowed"]

    def __call__(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        args: Sequence[Any],
        *,
        shared_mem: int = 0,
        stream: Any = None,
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
        stream : Stream, optional
            As in CuPy; here a launch has ended before the next begins, on any stream.

        Raises
        ------
        LaunchError
            For a launch that a GPU would refuse.
        Fault
            When the kernel does something undefined.
        """
        device = current()
        blocks, threads = self.admitted(device, self._filled(grid), self._filled(block))
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
        build = device.build_of(self.function.span)
        kernel = self.compiled(tuple(mode for mode, _ in arguments), build)
        self.check_resources(device, kernel, blocks, threads, shared_mem)
        blocks = self._cooperative(device, kernel, blocks, threads, int(shared_mem))
        effects = SideEffects(device, self.module.kernel)
        given_and_own = [a for _, a in arguments] + self.variables.arguments(device, kernel)
        memory, profile = device.memory, device.profile
        config = LaunchConfig(
            kernel, blocks, threads, given_and_own, int(shared_mem), memory, profile
        )
        try:
            execute(device, config, effects)
            effects.run_children(lambda child: execute(device, child, effects))
        finally:
            effects.finish()

    def admitted(
        self, device: Device, grid: Sequence[int], block: Sequence[int]
    ) -> tuple[Triple, Triple]:
        """Check the sizes of a launch: those that a GPU would take.

        Parameters
        ----------
        device : Device
            Where it is to be launched.
        grid : sequence of int
            Blocks, in up to three dimensions.
        block : sequence of int
            Threads per block, in up to three dimensions.

        Returns
        -------
        grid, block : tuple of int
            Three numbers each.

        Raises
        ------
        LaunchError
            otherwise
        """
        blocks = self._extent("grid", grid, MOST_BLOCKS)
        threads = self._extent("block", block, MOST_THREADS)
        self._check_block(device, threads)
        self._check_steps(device, blocks, threads)
        return blocks, threads

    @property
    def signature(self) -> str:
        """The parameters as C writes them."""
        return ", ".join(map(str, self.function.parameters))

    def compiled(
        self, modes: tuple[str, ...] | None = None, build: Build | None = None
    ) -> CompiledKernel:
        """Return the generated Python for one way of binding the pointers; `text` shows it.

        Parameters
        ----------
        modes : tuple of str, optional
            How each parameter is bound; pointers to starts of arrays by default.
        build : Build, optional
            What it must log besides; nothing by default.

        Returns
        -------
        CompiledKernel
            The text, its function, and what it logs.
        """
        key = modes or viewed(self.function), build or Build()
        if key not in self._compiled:
            self._compiled[key] = _compiled(self.module.program, self.function, *key)
        return self._compiled[key]

    def _refused(self, what: str, hint: str) -> LaunchError:
        return LaunchError(f"{self.name} {what}", name_span(self.function), hint)

    def _extent(self, what: str, sizes: Sequence[int], most: Triple) -> Triple:
        given = tuple(sizes) if isinstance(sizes, Sequence) else ()
        whole = all(isinstance(s, numbers.Integral) for s in given)
        if not whole or not 1 <= len(given) <= 3:
            hint = f"A {what} is a tuple of one to three ints."
            if isinstance(sizes, numbers.Integral):
                hint = f"A {what} is a tuple: write ({sizes},)."
            elif any(isinstance(s, float) for s in given):
                hint = f"{hint} Divide them with //."
            raise self._refused(f"launched with {what} {sizes!r}", hint)
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

    def _check_steps(self, device: Device, grid: Triple, block: Triple) -> None:
        threads = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
        if threads * THREAD_COST > device.steps:
            raise self._refused(
                f"launched with {threads:,} threads, which is more than the simulator may begin",
                f"A launch has {device.steps:,} lane steps, and a thread costs {THREAD_COST}; "
                "allow more: simulator.Device(steps=…).",
            )

    def _filled(self, sizes: Sequence[int]) -> Sequence[int]:
        """Return the sizes of a launch with 1 for 0, which CuPy does without a word."""
        if not isinstance(sizes, (tuple, list)) or 0 not in sizes:
            return sizes
        what = f"{self.name} launched with {sizes}: as CuPy does, the simulator takes 1 for 0"
        warnings.warn(what, stacklevel=3)
        return tuple(1 if s == 0 and not isinstance(s, float) else s for s in sizes)

    def _cooperative(
        self, device: Device, kernel: CompiledKernel, grid: Triple, block: Triple, dynamic: int
    ) -> Triple:
        """Return the grid of a launch in which threads may wait for all of it, if they do.

        All blocks must be resident. As CuPy does, of a grid of one dimension only those that are
        get launched, with a warning.
        """
        if not self.enable_cooperative_groups:
            if any(site.kind == "grid barrier" for site in kernel.plan.sites):
                raise self._refused(
                    "waits for the whole grid, but is not launched cooperatively",
                    "Pass enable_cooperative_groups=True to RawKernel or RawModule.",
                )
            return grid
        blocks, threads = (x * y * z for x, y, z in (grid, block))
        shared = kernel.shared_bytes + dynamic
        most = device.profile.resident_blocks(threads, shared, kernel.cluster_blocks)
        if blocks <= most:
            return grid
        if grid[0] == blocks and most:
            what = f"{self.name}: the grid size will be reduced from {blocks:,} to {most:,}, "
            what += "as the specified grid size exceeds the limit of a cooperative launch"
            warnings.warn(what, stacklevel=3)
            return most, 1, 1
        raise self._refused(
            f"launched cooperatively with {blocks:,} blocks of {threads} threads, which exceeds "
            f"the limit ({most:,})",
            f"{device.profile.title} holds {most:,} of them at the same time: use fewer blocks,"
            "\nand let each thread do its work in a loop.",
        )

    def check_resources(
        self, device: Device, kernel: CompiledKernel, grid: Triple, block: Triple, dynamic: int
    ) -> None:
        """Check that a launch can have its shared memory and its clusters.

        Parameters
        ----------
        device : Device
            Where it is to be launched.
        kernel : CompiledKernel
            What is launched, with its own shared variables.
        grid, block : tuple of int
            Blocks, and threads of a block, along x, y and z.
        dynamic : int
            Bytes of dynamic shared memory.

        Raises
        ------
        LaunchError
            If a block cannot have so much, or was not allowed it, or a cluster cannot be.
        """
        profile, threads = device.profile, block[0] * block[1] * block[2]
        refusal = launch_refusal(profile, kernel.shared_bytes, dynamic, self._allowed_shared)
        if kernel.plan.clustered:
            refusal = refusal or cluster_refusal(profile, kernel, grid, threads, dynamic)
        if refusal is not None:
            raise self._refused(*refusal)


def _read(code: str | None, path: str | None) -> str:
    """Return the source; a file that is none is refused, as the driver refuses it."""
    if path is not None and not Path(path).exists():
        raise CompileError(f"{path} is not there (CUDA_ERROR_FILE_NOT_FOUND)")
    if path is not None and str(path).endswith(_BINARIES):
        what = f"{path} is no CUDA C but compiled code, which the simulator does not read"
        raise CompileError(what, hint="Pass the source: code=TEXT, or the .cu file as path.")
    return text_of(code, path)


@lru_cache(maxsize=128)
def _compiled(
    program: tree.Program, function: tree.Function, modes: tuple[str, ...], build: Build
) -> CompiledKernel:
    """Compile a kernel of a program, which modules of the same source share, if no run before has.

    On disk the code of its function stands for the function.
    """
    if not may_keep(program):
        return _compiled_now(function, modes, build)
    made_for = function.name, modes, astuple(build)
    kept = kept_kernel(program, made_for)
    if kept is not None:
        code, parts = kept
        return CompiledKernel(function=function_of(marshal.loads(code), parts["names"]), **parts)
    made = _compiled_now(function, modes, build)
    parts = {one.name: getattr(made, one.name) for one in fields(made) if one.name != "function"}
    keep_kernel(program, made_for, (marshal.dumps(made.function.__code__), parts))
    return made


def _compiled_now(function: tree.Function, modes: tuple[str, ...], build: Build) -> CompiledKernel:
    from simulator.compile.kernel import compile_kernel

    return compile_kernel(function, modes, build)
