"""NVIDIA's own compiler, where CuPy and NVRTC are installed; it needs no GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpubfs.technique import KERNELS


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


def compile_file(path: Path, architecture: str = "sm_90", defines: tuple[str, ...] = ()) -> str:
    """Compile a CUDA file for one GPU architecture, with the headers beside it and gpubfs's own.

    Parameters
    ----------
    path : Path
        The .cu file.
    architecture : str
        Such as sm_75, sm_80 or sm_90.
    defines : tuple of str
        Macros as NAME=VALUE.

    Returns
    -------
    str
        The compiler's diagnostics; empty if it had none.

    Raises
    ------
    RuntimeError
        If NVRTC is missing or the file does not compile; its text is the reason or the diagnostics.
    """
    nvrtc, reason = load()
    if nvrtc is None:
        raise RuntimeError(reason)
    folders = dict.fromkeys((path.parent, KERNELS))
    flags = [f"-I{folder}" for folder in folders] + [f"-D{define}" for define in defines]
    program = nvrtc.createProgram(path.read_text(encoding="utf-8"), path.name, (), ())
    try:
        nvrtc.compileProgram(program, (f"-arch={architecture}", *flags))
    except nvrtc.NVRTCError:
        raise RuntimeError(nvrtc.getProgramLog(program).strip()) from None
    else:
        log: str = nvrtc.getProgramLog(program).strip()
        return log
    finally:
        nvrtc.destroyProgram(program)
