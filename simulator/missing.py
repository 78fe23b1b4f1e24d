"""The error for a kernel that the host asks for and the source has not."""

from __future__ import annotations

from simulator import tree
from simulator.similar import one_of
from simulator.source import CompileError


def no_kernel(name: str, program: tree.Program) -> CompileError:
    """The error for the kernel `name`; instances of templates must be announced."""
    plain = name.split("<")[0].strip().lstrip("&")
    if plain not in program.templates:
        what = f"the source has no kernel {name!r}"
        return CompileError(what, hint=one_of("kernels", name, program.kernels))
    full = name if "<" in name else f"{name}<…>"
    what = f"{plain!r} is a template, and {name!r} is not among the name_expressions"
    hint = f'Pass name_expressions=["{full}"] to RawModule, and call get_function with the same.'
    return CompileError(what, hint=hint)
