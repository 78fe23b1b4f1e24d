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
    text = path.read_text(encoding="utf-8")
    return compile_text(text, path.name, path.parent, architecture, defines)


def compile_text(
    text: str,
    name: str,
    folder: Path,
    architecture: str = "sm_90",
    defines: tuple[str, ...] = (),
) -> str:
    """The same for a text; `name` is what messages call it, `folder` is where its headers stand."""
    nvrtc, reason = load()
    if nvrtc is None:
        raise RuntimeError(reason)
    folders = dict.fromkeys((folder, KERNELS))
    flags = [f"-I{folder}" for folder in folders] + [f"-D{define}" for define in defines]
    program = nvrtc.createProgram(text, name, (), ())
    try:
        nvrtc.compileProgram(program, (f"-arch={architecture}", *flags))
    except nvrtc.NVRTCError:
        raise RuntimeError(_said(nvrtc.getProgramLog(program))) from None
    else:
        return _said(nvrtc.getProgramLog(program))
    finally:
        nvrtc.destroyProgram(program)


def _said(log: str) -> str:
    """A log without the remark on how to silence it, and the blank lines around that."""
    parts = log.strip().split("\n\n")
    return "\n\n".join(part for part in parts if not part.lstrip().startswith("Remark: "))
