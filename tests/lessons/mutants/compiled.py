"""The machine code that NVIDIA's compiler makes of a file: mutants with the same are the same."""

from __future__ import annotations

import hashlib
import re

from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc

ARCHITECTURE = "sm_90"
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def available() -> bool:
    """Whether the compiler is there."""
    return nvrtc.load()[0] is not None


def digest(text: str, lanes: int) -> str:
    """What is the same for files with the same machine code; "" if it does not compile.

    `warpSize` is compiled as the number of lanes that the simulator is given: the compiler puts 32
    there, and too late to make the same of both where that is the number.
    """
    module, reason = nvrtc.load()
    if module is None:
        raise RuntimeError(reason)
    plain = re.sub(r"\bwarpSize\b", str(lanes), text)
    own = (f"-arch={ARCHITECTURE}", f"-I{KERNELS}", *nvrtc.launch_options(plain))
    wanted = (*own, *nvrtc.header_options())
    program = module.createProgram(plain, "kernel.cu", (), ())
    try:
        module.compileProgram(program, wanted)
        return hashlib.sha256(module.getCUBIN(program)).hexdigest()
    except module.NVRTCError:
        return ""
    finally:
        module.destroyProgram(program)
