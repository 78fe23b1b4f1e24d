"""`alignof`, and the words of other compilers for it."""

import numpy as np
import pytest

from simulator.check import check
from simulator.read import read
from simulator.source import CompileError, Source
from tests.simulator.launching import run, source

PROGRAM = """struct Pair {{ char c; double d; }};
struct __align__(16) Wide {{ int a; }};
static_assert({condition});
__global__ void k(int *a, float3 v) {{ a[0] = {inside}; }}"""


def accepted(condition: str, inside: str = "1") -> None:
    check(read(Source(PROGRAM.format(condition=condition, inside=inside))))


@pytest.mark.parametrize(
    ("of", "align"),
    [("char", 1), ("int *", 8), ("Pair", 8), ("Wide", 16), ("float3", 4), ("int2[4]", 8)],
)
@pytest.mark.parametrize("word", ["alignof", "__alignof__", "__alignof", "_Alignof"])
def test_a_type_has_the_alignment_that_cuda_gives_it(word: str, of: str, align: int) -> None:
    accepted(f"{word}({of}) == {align}")
    with pytest.raises(CompileError):
        accepted(f"{word}({of}) == {align + 1}")


def test_an_expression_has_that_of_its_type() -> None:
    accepted("true", "__alignof__(v) + __alignof__ a")


def test_what_has_no_size_has_no_alignment() -> None:
    with pytest.raises(CompileError, match="`void` has no size here"):
        accepted("alignof(void) == 1")


def test_a_misspelt_type_is_named() -> None:
    with pytest.raises(CompileError, match="`itn` is neither a type nor a variable"):
        accepted("alignof(itn) == 4")


@pytest.mark.parametrize("align", [1, 16, 32, 64, 128])
def test_shared_variables_may_ask_for_up_to_128_bytes(align: int) -> None:
    body = f"""__shared__ char one;
  __shared__ __align__({align}) char s[20];
  extern __shared__ __align__({align}) char dynamic[];
  one = 1; s[0] = 2; dynamic[0] = one;
  if (threadIdx.x == 0) {{
    out[2 * blockIdx.x] = (size_t)s % {align};
    out[2 * blockIdx.x + 1] = (size_t)dynamic % {align};
  }}"""
    found = run(source("int *out", body), np.full(8, -1, "i4"), grid=4, shared=20)
    assert not found.arrays[0].any()


@pytest.mark.parametrize(
    "wrong", ["__shared__ alignas(256) int s;", "__shared__ alignas(24) int s;"]
)
def test_other_alignments_are_refused(wrong: str) -> None:
    with pytest.raises(CompileError, match="power of two") as caught:
        check(read(Source(f"__global__ void k() {{ {wrong} s = 1; }}")))
    assert "up to 128" in caught.value.hint
