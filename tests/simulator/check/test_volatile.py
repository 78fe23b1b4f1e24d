"""Volatile is part of the types: it may be added by itself, and is dropped only by a cast."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator import CompileError
from tests.simulator.launching import run, source


@pytest.mark.parametrize(
    "body",
    [
        "volatile int *p = a; *p = 5;",
        "const volatile int *p = a; a[0] = *p + 5;",
        "*(volatile int *)a = 5;",
        "volatile int *p = a; int *q = (int *)p; *q = 5;",
        "int volatile *p = a; volatile int *q = p; q[0] += 5;",
        "volatile int x = 5; a[0] = x;",
        "int *volatile p = a; *p = 5;",
        "__shared__ volatile int s[2]; s[0] = 5; volatile int *p = s; a[0] = p[0];",
        "volatile int x = 4; volatile int *p = &x; *p += 1; a[0] = x;",
        "volatile int *p = a; int *q = a; a[0] = (p == q) * 5;",
        "volatile int *p = a; auto q = p; *q = 5;",
        "volatile int2 *p = (volatile int2 *)a; p->x = 5;",
    ],
)
def test_accepted(body: str) -> None:
    assert run(source("int *a", body), np.zeros(4, "i4"), block=1).arrays[0][0] == 5


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("volatile int *p = a; int *q = p;", "`volatile int *`, but `int *` is needed"),
        ("volatile int x; int *q = &x;", "`volatile int *`, but `int *` is needed"),
        ("volatile int *p = a; atomicAdd(p, 1);", "`atomicAdd` takes no `volatile int *`"),
        ("volatile int *p = a; auto q = p; int *r = q;", "`volatile int *`"),
        ("__shared__ volatile int s[2]; int *q = s;", "`volatile int *`"),
        ("volatile int x = 1; change(x);", "is volatile"),
    ],
)
def test_refused(body: str, what: str) -> None:
    functions = "__device__ void change(int &x) { x = 1; }"
    with pytest.raises(CompileError) as caught:
        simulator.RawKernel(source("int *a", body, functions), "k")
    assert what in caught.value.message
    assert caught.value.span is not None


def test_printed_as_declared() -> None:
    kernel = simulator.RawKernel(source("volatile int *a, const volatile float *b", ""), "k")
    assert kernel.signature == "volatile int *a, const volatile float *b"


def test_every_look_is_a_load() -> None:
    ran = run(source("volatile int *a, int *b", "b[0] = a[0] + a[0];"), *[np.ones(2, "i4")] * 2)
    assert ran.counters.load_requests == 2
