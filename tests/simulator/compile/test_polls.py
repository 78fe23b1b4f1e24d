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
    "links": "int p = n; while (true) { if («v[p + 1]» == 9) return; p = v[p]; a[p] = 1; }",
    "links in the step": "for (int p = n; p >= 0; p = v[p]) a[p] = 1;",
    "links in the test": "int p = n; while ((p = v[p]) >= 0) a[p] = 1;",
    "links through another variable": (
        "int p = n; while (p >= 0) { int q = v[p]; a[p] = 1; p = q; }"
    ),
    "links through the address of a link": (
        "volatile int *p = v; while (p != v + n) p = v + *(&p[1]);"
    ),
    "an atomic beside links": (
        "int p = n; while (true) { if («atomicCAS(&a[p], 0, 1)» == 0) return; p = v[p]; }"
    ),
    "links through a function, which may return the same again": (
        "int p = n; do { p = peek(v + p); } while (p >= 0);"
    ),
    "links and a flag": "int p = n; while (true) { if («*v») return; p = v[p]; }",
    "a flag at the place of a link": "int p = n; while (p != 2) p = a[p * 2 + («v[0]» != 0)];",
    "a ring of flags": "int p = n; while («v[p]» == 0) p = a[p];",
    "a ring of flags by addresses": (
        "volatile int *p = v; while («*p» == 0) p = &v[(p - v + 1) & 3];"
    ),
    "a link to itself": "int p = n, last; do { last = p; p = «v[p]»; } while (p == last);",
    "a link to itself that is counted": (
        "int p = n; while (p != 3) { int last = p; p = «v[p]»; if (p != last) a[0]++; }"
    ),
    "a step that depends on the state": (
        "int p = n; while (p >= 0) { int s = «v[p]»; if (s == 2) break; p = s ? «a[p]» : p; }"
    ),
    "a table whose entries may stay": "int p = n; while (p != 3) p = a[2 * p + («v[p]» != 0)];",
    "a variable that is set anew": "int p; do { p = n; p = «v[p]»; } while (p == 0);",
    "two members": "int2 q; q.x = n; do { q.y = «v[q.x]»; } while (q.y == 0);",
    "a link that is waited for": (
        "int p = n; while (p >= 0) { int q = «v[p]»; if (q == 0) continue; a[p] = 1; p = q; }"
    ),
    "a link that is waited for in a loop": (
        "int p = n; while (p >= 0) { int q = 0; while (q == 0) q = «v[p]»; a[p] = 1; p = q; }"
    ),
    "a link that is taken if it is there": (
        "int p = n; while (p >= 0) { int q = «v[p]»; if (q != 0) p = q; }"
    ),
    "a link or the same again": "int p = n; while (p >= 0) { p = «v[p]» > 0 ? «v[p]» : p; }",
    "a sum of links": "int p = n; while (p < 9) { p = p + «v[p]»; }",
    "the largest of links": "int p = n; while (p < 9) { p = max(p, «v[p]»); }",
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
