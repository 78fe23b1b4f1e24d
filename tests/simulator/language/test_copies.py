"""`memcpy` and `memset` in kernels: the bytes that they move, and how they are counted."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.instrument import InstrumentedModule, instrumented
from simulator.source import CompileError


def kernel(body: str) -> str:
    return f'extern "C" __global__ void k(float *a, int n) {{ int t = threadIdx.x; {body} }}'


def result(body: str, n: int = 8) -> np.ndarray:
    a = simulator.asarray(np.arange(64, dtype=np.float32))
    simulator.RawKernel(kernel(body), "k")((1,), (2,), (a, np.int32(n)))
    return a.get()


START = np.arange(64, dtype=np.float32)
AFTER = {
    "float v[2]; memcpy(v, a + 2, sizeof(v)); a[t] = v[1];": {0: 3, 1: 3},
    "unsigned u; float f = 1; memcpy(&u, &f, 4); a[t] = u >> 23;": {0: 127, 1: 127},
    "memcpy((float4 *)a + 2 + t, (float4 *)a + 4 + t, 16);": dict(
        zip(range(8, 16), range(16, 24), strict=True)
    ),
    "if (t == 0) memcpy(a + 32, a, n);": {32: 0, 33: 1},
    "if (t == 0) memcpy(a + 32, a, 4 * n);": {32 + i: i for i in range(8)},
    "if (t == 0) memcpy(a, a + 32, 30 * sizeof(float));": {i: 32 + i for i in range(30)},
    "if (t == 0) memset(a + 5, 0, 3 * sizeof(float));": {5: 0, 6: 0, 7: 0},
    "if (t == 0) memset(a, 0, n);": {0: 0, 1: 0},
    "float *p = a; if (t == 0) memcpy(p++, a + 9, 4); a[40] = p - a;": {0: 9, 40: 0},
    "if (t == 0) a[9] = *(float *)memcpy(a + 1, a + 20, 4);": {1: 20, 9: 20},
    "char c[3]; memcpy(c, (char *)a + 4, 3); a[0] = c[2];": {0: -128},
}


@pytest.mark.parametrize("body", AFTER)
def test_bytes_are_where_they_belong(body: str) -> None:
    expected = START.copy()
    for at, value in AFTER[body].items():
        expected[at] = value
    found = result(body)
    if "p++" in body:  # the threads tell how far each came
        found[40] = 0
    np.testing.assert_array_equal(found, expected)


EQUAL = "load_requests load_sectors store_requests store_sectors".split()


LOOPS = [body for body in AFTER if body.endswith("n);")]


@pytest.mark.parametrize("body", LOOPS)
def test_loops_over_bytes_are_not_counted_on_a_gpu(body: str) -> None:
    with pytest.raises(CompileError, match="cannot be counted on a GPU"):
        instrumented(kernel(body))


@pytest.mark.parametrize("body", [one for one in AFTER if "p++" not in one and one not in LOOPS])
def test_texts_that_count_by_themselves_count_the_same(body: str) -> None:
    once, again = (simulator.asarray(START.copy()) for _ in range(2))
    with simulator.counting() as record:
        simulator.RawKernel(kernel(body), "k")((1,), (2,), (once, np.int32(8)))
    made = instrumented(kernel(body))
    module = InstrumentedModule(simulator, simulator.RawModule(code=made.text), made)
    module.get_function("k")((1,), (2,), (again, np.int32(8)))
    ours, theirs = record.launches[0].counters, module.launches[0].counters
    assert [getattr(ours, n) for n in EQUAL] == [getattr(theirs, n) for n in EQUAL]
    np.testing.assert_array_equal(once.get(), again.get())


REFUSED = {
    "memcpy(a, 3, 4);": "`3` is `int`, and no pointer",
    "memcpy(a, a);": "`memcpy` takes 3 arguments, not 2",
    "memset(a, n, 4);": "`memset` is supported for a constant value",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_refused(body: str) -> None:
    with pytest.raises(CompileError) as caught:
        result(body)
    assert REFUSED[body] in caught.value.message
