"""`alignof`, and the words of other compilers for it."""

import pytest

from simulator.check import check
from simulator.read import read
from simulator.source import CompileError, Source

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
