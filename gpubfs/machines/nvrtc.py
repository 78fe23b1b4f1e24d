"""NVIDIA's own compiler, where CuPy and NVRTC are installed; it needs no GPU."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from gpubfs.kernels import KERNELS

#: What is no code: strings, characters and comments.
_NO_CODE = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def launch_options(text: str) -> tuple[str, ...]:
    """Return the option of separate compilation for a text whose kernels launch kernels.

    CUDA's device runtime is a library that such kernels are linked with.

    Examples
    --------
    >>> launch_options("child<<<1, 32>>>(a);"), launch_options("a[0] = 1;  // <<<1, 32>>>")
    (('-dc',), ())
    """
    return ("-dc",) if "<<<" in _NO_CODE.sub(" ", text) else ()


def load() -> tuple[Any, str]:
    """CuPy's NVRTC module, or None and the reason why there is none.

    Returns
    -------
    module, reason
        The module and an empty string, or None and one sentence.
    """
    try:
        from cupy.cuda import nvrtc

        nvrtc.getVersion()
    except ImportError:
        return None, 'CuPy is not installed: pip install "gpubfs[cuda13]"'
    except (
        Exception
    ) as error:  # cuda-pathfinder and NVRTC have errors of their own for a missing library
        return None, f"NVRTC cannot be used: {error}"
    return nvrtc, ""


@cache
def _bundled_into() -> tempfile.TemporaryDirectory[str]:
    """Where NVRTC unpacks the headers that it brings; the folder lives as long as this process."""
    return tempfile.TemporaryDirectory(prefix="gpubfs-cuda-headers-")


@cache
def header_options() -> tuple[str, ...]:
    """Return the options with which NVRTC finds CUDA's own headers; empty if there are none.

    Newer compilers bring them. For others they must be installed, as the extras `cuda13` and
    `cuda12` do.
    """
    for options in ((f"--use-bundled-headers={_bundled_into().name}",), _installed_headers()):
        try:
            _compile("#include <cooperative_groups.h>", "headers.cu", ("-arch=sm_90", *options))
        except RuntimeError:
            continue
        return options
    return ()


def _installed_headers() -> tuple[str, ...]:
    try:
        from cuda.pathfinder import find_nvidia_header_directory
    except ImportError:
        return ()
    folder = find_nvidia_header_directory("cudart")
    return (f"-I{folder}", f"-I{folder}/cccl") if folder else ()


def compile_file(
    path: Path,
    architecture: str = "sm_90",
    defines: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
) -> str:
    """Compile a CUDA file for one GPU architecture, with the headers beside it and gpubfs's own.

    Parameters
    ----------
    path : Path
        The .cu file.
    architecture : str
        Such as sm_75, sm_80 or sm_90.
    defines : tuple of str
        Macros as NAME=VALUE.
    flags : tuple of str
        Further options for NVRTC.

    Returns
    -------
    str
        The compiler's diagnostics; empty if it had none.

    Raises
    ------
    RuntimeError
        If NVRTC is missing or the file does not compile; its text is the reason or the diagnostics.
    """
    text = path.read_text(encoding="utf-8")
    return compile_text(text, path.name, path.parent, architecture, defines, flags)


def compile_text(
    text: str,
    name: str,
    folder: Path,
    architecture: str = "sm_90",
    defines: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
) -> str:
    """Check a text; `name` is what messages call it, `folder` is where its headers stand."""
    folders = dict.fromkeys((folder, KERNELS))
    own = [f"-I{folder}" for folder in folders] + [f"-D{define}" for define in defines]
    wanted = (f"-arch={architecture}", *own, *launch_options(text), *flags)
    try:
        return _compile(text, name, wanted)
    except RuntimeError as error:
        if "cannot open source file" not in str(error) or not (more := header_options()):
            raise
        return _compile(text, name, (*wanted, *more))


def compile_alone(
    text: str, name: str, options: tuple[str, ...], headers: Mapping[str, str]
) -> str:
    """Compile a text with the headers that are given, and CUDA's own where it wants them.

    Raises
    ------
    RuntimeError
        If NVRTC is missing or the text does not compile; as `compile_file` has it.
    """
    try:
        return _compile(text, name, options, headers)
    except RuntimeError as error:
        if "cannot open source file" not in str(error) or not (more := header_options()):
            raise
        return _compile(text, name, (*options, *more), headers)


def _compile(
    text: str, name: str, options: tuple[str, ...], headers: Mapping[str, str] | None = None
) -> str:
    nvrtc, reason = load()
    if nvrtc is None:
        raise RuntimeError(reason)
    # CuPy takes headers as bytes.
    encoded = {name.encode(): header.encode() for name, header in (headers or {}).items()}
    program = nvrtc.createProgram(text, name, tuple(encoded.values()), tuple(encoded))
    try:
        nvrtc.compileProgram(program, options)
    except nvrtc.NVRTCError:
        raise RuntimeError(_said(nvrtc.getProgramLog(program))) from None
    else:
        return _said(nvrtc.getProgramLog(program))
    finally:
        nvrtc.destroyProgram(program)


def _said(log: str) -> str:
    """Return a log without the remark on how to silence it, and the blank lines around that."""
    parts = log.strip().split("\n\n")
    return "\n\n".join(part for part in parts if not part.lstrip().startswith("Remark: "))
