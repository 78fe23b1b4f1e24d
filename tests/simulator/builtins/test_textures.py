"""Functions of textures and surfaces exist for the types for which CUDA has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import simulator
from gpubfs.machines import nvrtc
from simulator.builtins import textures
from simulator.builtins.row import Row
from simulator.builtins.textures import Template, Write
from simulator.ir.types import SCALARS, VECTORS

ROWS = {row.name: row for row in textures.ROWS}
TYPES = [*(str(ctype) for ctype in SCALARS), *VECTORS]
Accepts = Callable[[str], bool]


def by_simulator(text: str) -> bool:
    try:
        simulator.RawModule(text)
    except simulator.CompileError:
        return False
    return True


def by_nvrtc(text: str) -> bool:
    try:
        nvrtc.compile_text(text, "kernel.cu", Path("."))
    except RuntimeError:
        return False
    return True


def arguments(row: Row) -> str:
    """Arguments of the types that a signature says, without those that may be left out."""
    names = {"None": "v", "float": "f", "int": "i", "float2": "f2", "float4": "f4"}
    needed = [p for p in row.types.parameters if p.default is None]
    return ", ".join(names.get(str(p.type), "t") for p in needed)


def uses(row: Row) -> list[str]:
    """Every way to call a function: with T named, or found out."""
    given = arguments(row)
    if isinstance(row, Write):
        return [f"{row.name}({given});", f"{row.name}<T>({given});"]
    stored = f"T value; {row.name}(&value, {given});"
    return [f"T value = {row.name}<T>({given}); (void)value;", stored]


def kernel(body: str, ctype: str = "float") -> str:
    parameters = "T v, float f, int i, float2 f2, float4 f4, cudaTextureObject_t t"
    return f"typedef {ctype} T;\n__global__ void k({parameters}) {{ {body} }}"


@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
@pytest.mark.parametrize("name", sorted(ROWS))
def test_functions_are_those_of_cuda(name: str) -> None:
    row = ROWS[name]
    body = " ".join(f"{{ {use} }}" for use in uses(row))
    assert by_simulator(kernel(body))
    assert by_nvrtc(kernel(body))


@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
@pytest.mark.parametrize(
    "name",
    [
        *("tex2D", "surf2Dwrite"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("tex2Dgather", "surf2Dread")),
    ],
)
def test_types_are_those_of_cuda(name: str) -> None:
    for use in uses(ROWS[name])[:1]:
        ours = {ctype for ctype in TYPES if by_simulator(kernel(use, ctype))}
        theirs = {ctype for ctype in TYPES if by_nvrtc(kernel(use, ctype))}
        assert ours == theirs


@pytest.mark.parametrize(
    ("use", "message", "hint"),
    [
        ("tex2D(t, 1.0f, 2.0f);", "needs the type of the texels", "`tex2D<float>(…)`"),
        ("tex2D<float, 2>(t, 1.0f, 2.0f);", "takes one type", "`tex2D<float>(…)`"),
        ("tex2D<2>(t, 1.0f, 2.0f);", "takes one type", "`tex2D<float>(…)`"),
        ("tex2D<float>(t, 1.0f);", "takes 3 arguments, not 2", "it is `T tex2D("),
        ("tex2D<float>(t, t, t, t);", "takes 3 arguments, not 4", "it is `T tex2D("),
        ("tex2D<double>(t, 1.0f, 2.0f);", "does not exist for `double`", "there are char"),
        ("tex2D<float3>(t, 1.0f, 2.0f);", "does not exist for `float3`", "vectors of 1, 2 and 4"),
        ("int x; tex2D<float>(&x, t, 1.0f, 2.0f);", "takes `float *` here, not `int *`", ""),
        ("surf2Dwrite(1.0, t, 4, 0);", "does not exist for `double`", ""),
        ("surf2Dwrite(1.0f, t, 4);", "takes 4 or 5 arguments, not 3", ""),
        ("auto f = tex2D;", "the function `tex2D` is not called here", ""),
    ],
)
def test_wrong_calls_are_refused(use: str, message: str, hint: str) -> None:
    text = f"__global__ void k(cudaTextureObject_t t) {{\n{use}\n}}"
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(text)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.span is not None
    assert caught.value.span.line == 2


def test_every_row_takes_its_type_in_brackets() -> None:
    assert all(isinstance(row, Template) for row in ROWS.values())
    assert set(ROWS) == textures.TEMPLATES
