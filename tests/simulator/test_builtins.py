"""Every function that the checker knows can be compiled and run."""

import re

import pytest

import simulator
from simulator.builtins.table import BUILTINS

SPECIAL = {
    "atomicCAS": "(p, 1, 2)",
    **{f"__ld{hint}": "(p)" for hint in ("g", "cg", "ca", "cs", "lu", "cv")},
    **{f"__st{hint}": "(p, 3)" for hint in ("wb", "cg", "cs", "wt")},
    "__match_all_sync": "(0xffffffff, 1, (int *)p)",
    "__syncwarp": "()",
    **{f"__is{space}": "(p)" for space in ("Shared", "Local", "Global")},
}


def arguments(name: str, signature: str) -> str:
    plain = re.sub(r"_(block|system)$", "", name)
    if plain in SPECIAL:
        return SPECIAL[plain]
    if plain.startswith("atomic"):
        return "(p, 3)"
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    count = len([part for part in inside.split(",") if part.strip() and "=" not in part])
    first = "0xffffffff" if "mask" in inside else "1"
    return f"({', '.join([first, *['1'] * (count - 1)][:count])})"


@pytest.mark.parametrize("name", sorted(BUILTINS))
def test_every_builtin_runs(name: str) -> None:
    call = name + arguments(name, BUILTINS[name].signature)
    test = "if (*p) " if name == "__trap" else ""  # which would end the kernel
    text = f'extern "C" __global__ void k(unsigned *p) {{ {test}{call}; }}'
    simulator.RawKernel(text, "k")((1,), (32,), (simulator.zeros(1, "uint32"),))
