"""The generator: programs are the same for a seed, have no races, and use all of the language."""

from __future__ import annotations

import re
from random import Random

import pytest

from gpubfs.machines import nvrtc
from tests.fuzz.generate import counted, program
from tests.reference.expressions import Literal, Thread
from tests.reference.guards import Bounded
from tests.reference.job import Job, difference
from tests.reference.program import Program
from tests.reference.threads import Oracle
from tests.reference.types import INT, UCHAR, USHORT, Type
from tests.reference.walk import unknown
from tests.sampling import sampled

SEEDS = range(150)
#: What all programs may have.
ALL_PROGRAMS = [
    r"\bif \(",
    r"\belse\b",
    r"\bfor \(int k\d+",
    r"\bfor \(; ; \)",
    r"\bwhile \(",
    r"\bdo\n",
    r"\bswitch \(",
    r"\bcase 2:",
    r"\}\n *case 1:",
    r"\bbreak;",
    r"\bcontinue;",
    r"\breturn;",
    r" \? ",
    r" && ",
    r" \|\| ",
    r"__device__ \w+( \w+)* f\d+\(",
    r"int &q",
    r"const \w+( \w+)* \*q",
    r"extern __shared__",
    r"__syncthreads\(\)",
    r"__syncthreads_(count|and|or)",
    r"__restrict__",
    r"__ldg",
    r"atomicAdd\(",
    r"\bunsigned long long \*a",
    r"\bshort \*a",
    r"\bdouble \*a",
    r"^ *\(\(.*\), \(.*\)\);$",
    r"\b(int|float|long long) x\d+;\n",
    r"\n *\{\n",
    r"\(\+\+p\d+\);",
    r"\(p\d+\+\+\);",
    r" \*p\d+ = l\d+;",
    r" \*p\d+ = \(.* \? l\d+ : ",
    r"\(p\d+ = \(a\d \+ mine\)\);",
    r"\(p\d+ = \(.* \? ",
    r"\(\*\(p\d+ \+ ",
    r"const .* \*p\d+ = a\d",
    r"\[\(\(long long\)\(.* & 3\)\)\]",
    r"\[\(mine \+ \(unsigned char\)\(",
    r"\[\(mine \+ \(int\)\(.* % 4u\)\)\]",
    r"f\d+\(.*\(a\d \+ mine\)",
    r"f\d+\(.*\(&[xq]\d+\)",
    r"\] = \{\};",
    r"float l\d+\[",
    r"\bblockIdx\.x\b",
]
#: What portable programs have besides.
FEATURES = [
    r"fmin\w*\(",
    r"__popcll",
    r"__syncwarp\(wmask\)",
    r"__syncwarp\(\(0x\w+ & wmask\)\)",
    r"__shfl_sync\(wmask",
    r"__shfl_up_sync",
    r"__shfl_down_sync",
    r"__shfl_xor_sync",
    r"__shfl_\w+\(wmask, .*, \d+\);",
    r"__ballot_sync",
    r"__any_sync",
    r"__all_sync",
    *(rf"atomic{name}\(" for name in "Add Sub Min Max And Or Xor Inc Dec CAS".split()),
    r"atomicMin\(&sh\d",
    r"atomicCAS\(p\d+, seen\d+, __float_as_int",
    r"atomicCAS\(p\d+, .* % 61u",
    r"const unsigned int t\d+ = atomicAdd",
    r"__match_any_sync",
    r"__match_all_sync",
    r"__reduce_add_sync",
    r"__threadfence\(\)",
    r"\w+ \*p\d+ = \(.* \? ",
    r"atomic\w+\(&\(\*\(p\d+ ",
    r"int x\d+ = g\d+\(sh\d+, ",
    r"\bz\d_twice\(y\d",
    r"\bz\d<unsigned int>\(y\d",
    r"__shared__ V kept",
    r"__shared__ z\d_P kept",
    r"p = x & 2 \? both",
    r"while \(counts\[bid - 1\] == counts\[bid\]\)",
    r"said = \(\(volatile unsigned int \*\)ms\)\[bid - 1\]",
    r"said = ms\[bid - 1\]",
    r"__threadfence_system\(\)",
    r"__threadfence_block\(\)",
    r"while \(!is_said\)",
    r"__shared__ volatile unsigned int said",
    *(rf"atomic{name}_block\(" for name in "Add Max Xor Or".split()),
    *ALL_PROGRAMS,
]
#: What only programs that need not be portable have.
LOOSE = [
    r"\((\w+) [+*-] \w+\)",
    r"\(-[a-z]\w*\)",
    r"10000000000\.0f?\b",
    r"\(\((float|double)\)\S.* / ",
    r"\w \+= [^;]*\d\.\d",
    r"\(--[xq]\d+\)",
    r"\w <<= ",
    r"float q\d+",
    r"__device__ float f",
    r"\breturn;\n(.*\n)*.*__syncthreads",
    *ALL_PROGRAMS,
]


@pytest.fixture(scope="module")
def sources() -> list[str]:
    return [program(seed).text() for seed in SEEDS]


@pytest.mark.parametrize("feature", FEATURES)
def test_every_part_of_the_language_appears(sources: list[str], feature: str) -> None:
    assert any(re.search(feature, text, re.MULTILINE) for text in sources)


def loose(seed: int) -> Program:
    return counted(Random(seed), (2, 2, 1), (5, 3, 1))


@pytest.fixture(scope="module")
def loose_sources() -> list[str]:
    return [loose(seed).text() for seed in range(3 * len(SEEDS))]


@pytest.mark.parametrize("feature", LOOSE)
def test_programs_that_are_counted_have_more(loose_sources: list[str], feature: str) -> None:
    assert any(re.search(feature, text, re.MULTILINE) for text in loose_sources)


@pytest.mark.slow
def test_launches_have_all_shapes() -> None:
    kernels = [k for seed in SEEDS for k in program(seed).kernels]
    assert any(k.block[1] > 1 for k in kernels)
    assert any(k.block[2] > 1 for k in kernels)
    assert any(k.grid[1] > 1 for k in kernels)
    assert any(k.threads % 32 for k in kernels)
    assert any(k.threads > 32 for k in kernels)
    assert any(len(program(seed).order) > 1 for seed in SEEDS)


@pytest.mark.parametrize("seed", [0, 1, 17, 123_456])
def test_a_seed_always_gives_the_same_program(seed: int) -> None:
    assert program(seed).job() == program(seed).job()
    assert program(seed).job().digest != program(seed + 1).job().digest


@pytest.mark.slow
def test_all_names_are_declared() -> None:
    assert [seed for seed in SEEDS if unknown(program(seed)) or unknown(loose(seed))] == []


@pytest.mark.parametrize("seed", sampled(range(25), 8))
def test_the_order_of_threads_does_not_matter(seed: int) -> None:
    for made in (program(seed), loose(seed)):
        one, other = (Oracle(made, backwards).run() for backwards in (False, True))
        assert difference(one, other) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("seeds", "most"), sampled([(6, 0), (20, 2)], 2))
def test_nearly_all_programs_change_memory(seeds: int, most: int) -> None:
    idle = 0
    for seed in range(seeds):
        made = program(seed)
        before = {a.name: a.values() for a in made.job().arrays}
        idle += not difference(before, Oracle(made).run())
    assert idle <= most


def test_a_job_survives_being_written() -> None:
    job = program(5).job()
    assert Job.of_file(job.file("feed")) == (job, "feed")


@pytest.mark.parametrize("seed", range(4))
def test_nvidias_compiler_takes_them(seed: int, tmp_path) -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    path = tmp_path / "k.cu"
    path.write_text(program(seed).text(), encoding="utf-8")
    nvrtc.compile_file(path)


@pytest.mark.parametrize(("cast", "index"), [(UCHAR, 255), (USHORT, 1023), (None, 1023)])
def test_a_masked_index_is_what_its_cast_leaves(cast: Type | None, index: int) -> None:
    node = Bounded(INT, Literal(INT, -1), 1024, cast=cast)
    assert node.eval(Thread({})) == index
