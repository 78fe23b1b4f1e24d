"""Kernels by name: where they stand in the source, and the error for one that is not there."""

from __future__ import annotations

from simulator.hints.similar import one_of
from simulator.ir import tree
from simulator.source import CompileError, Span


def no_kernel(name: str, program: tree.Program) -> CompileError:
    """The error for the kernel `name`; instances of templates must be announced."""
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
