"""Which loads and atomics poll, as the race checker understands it: «these»."""

from __future__ import annotations

import pytest

import simulator

LOOPS = {
    "a flag": "while («*v» == 0);",
    "a flag and a pause": "while («*v» != n) __nanosleep(20);",
    "another thread's flag": "while («v[n]» < «a[2]»);",
    "a lock": "while («atomicCAS(a, 0, 1)» != 0);",
    "a lock that is tried again": (
        "bool done = false; while (!done) { if («atomicCAS(a, 0, 1)» == 0) { a[1]++;"
        "atomicExch(a, 0); done = true; } }"
    ),
    "read before the loop and in it": "int f = «*v»; while (f == 0) f = «*v»;",
    "a break": "while (true) { int f = «*v»; a[1] = v[1]; if (f) break; }",
    "a continue": (
        "int p = n; while (p >= 0) { int f = «v[p]»; if (f == 0) continue; p--; a[p] = v[9]; }"
    ),
    "a return": "while (true) { if («*v») return; }",
    "in a function": "while (peek(v) == 0);",
    "a loop that counts": "for (int i = 0; i < n; i++) { if (*v) break; }",
    "no loop": "if (*v) a[0] = 1;",
    "what a loop does until it ends": "while («*v» == 0) a[1] += v[1];",
    "what a reduction reads": "for (int d = 16; d > 0; d /= 2) a[n] += v[n + d];",
}


@pytest.mark.parametrize("name", LOOPS)
def test_what_polls(name: str) -> None:
    body = LOOPS[name]
    expected = [part for number, part in enumerate(body.replace("»", "«").split("«")) if number % 2]
    text = (
        "__device__ int peek(volatile int *p) { return *p; }\n"
        'extern "C" __global__ void k(int *a, volatile int *v, int n) {\n'
        f"{body.replace('«', '').replace('»', '')}\n}}"
    )
    plan = simulator.RawKernel(text, "k").compiled().plan
    found = [site.span.text for site in plan.sites if site.polls]
    assert found == (expected or (["*p"] if "peek" in body else []))


ATOMICS = {
    "atomicAdd(a, 1)": True,
    "atomicAdd(a, n)": True,
    "atomicAdd(a, 0)": False,
    "atomicOr(a, 0)": False,
    "atomicMax(a, 0)": True,
    "atomicExch(a, 0)": False,
    "atomicCAS(a, 0, 1)": False,
}


@pytest.mark.parametrize("call", ATOMICS)
def test_what_builds_on_what_it_finds(call: str) -> None:
    text = f'extern "C" __global__ void k(int *a, int n) {{ {call}; }}'
    (site,) = simulator.RawKernel(text, "k").compiled().plan.sites
    assert site.combines == ATOMICS[call]
