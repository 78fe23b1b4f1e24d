"""Warnings for functions that return the address of what ends with the call."""

from __future__ import annotations

from pathlib import Path

import pytest

import simulator
from gpubfs.machines import nvrtc
from tests.simulator.launching import source

#: A function's body after `int own[4] = {0}; int one = 1;`; whether CUDA's compiler warns, too.
WARNED = (
    "return own;",
    "return &own[x];",
    "return own + 1;",
    "return &one;",
    "return &x;",
    "int *p = own; return p;",
    "int *p = given; if (x) p = &one; return p;",
    "return x ? given : own;",
    "P s = {{1, 2}}; return s.a;",
    "return (int *)(void *)&one;",
)
FINE = (
    "return given;",
    "return given + one;",
    "__shared__ int s[4]; return s;",
    "extern __shared__ int d[]; return &d[one];",
    "return &table[x];",
    "return held.q;",
    "int *both[2] = {given, table}; return both[x & 1];",
    "int *&r = given; return r;",
    "int **at = &given; return *at;",
)


def text_of(body: str) -> str:
    before = "struct P { int a[2]; }; struct R { int *q; }; __device__ int table[8];\n"
    head = "__device__ int *f(int *given, int x, R held)"
    before += f"{head} {{ int own[4] = {{0}}; int one = 1; {body} }}"
    return source("int *a", "R r = {a}; int *p = f(a, 1, r); a[1] = p == a;", before)


def warned(body: str) -> list[str]:
    found = simulator.RawModule(code=text_of(body)).program.warnings
    return [w.message for w in found if "address of its own variable" in w.message]


@pytest.mark.parametrize("body", WARNED)
def test_the_address_of_a_local_variable_is_warned_of(body: str) -> None:
    assert len(warned(body)) == 1


@pytest.mark.parametrize("body", FINE)
def test_other_addresses_are_not(body: str) -> None:
    assert warned(body) == []


@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
def test_cudas_compiler_warns_of_no_other() -> None:
    logs = {b: nvrtc.compile_text(text_of(b), "kernel.cu", Path(".")) for b in (*WARNED, *FINE)}
    said = {body for body, log in logs.items() if "local variable" in log}
    assert "return own;" in said
    assert said <= set(WARNED)
