"""The generator: programs are the same for a seed, have no races, and use all of the language."""

from __future__ import annotations

import re

import pytest

from gpubfs.machines import nvrtc
from tests.fuzz.generate import program
from tests.reference.job import Job, difference
from tests.reference.threads import Oracle
from tests.reference.walk import unknown
from tests.sampling import sampled

SEEDS = range(150)
FEATURES = [
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
    r"__restrict__",
    r"__ldg",
    r"\bunsigned long long \*a",
    r"\bshort \*a",
    r"\bdouble \*a",
    r"fmin\w*\(",
    r"__popcll",
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
]


@pytest.fixture(scope="module")
def sources() -> list[str]:
    return [program(seed).text() for seed in SEEDS]


@pytest.mark.parametrize("feature", FEATURES)
def test_every_part_of_the_language_appears(sources: list[str], feature: str) -> None:
    assert any(re.search(feature, text) for text in sources)


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


def test_all_names_are_declared() -> None:
    assert [seed for seed in SEEDS if unknown(program(seed))] == []


@pytest.mark.parametrize("seed", sampled(range(25), 4))
def test_the_order_of_threads_does_not_matter(seed: int) -> None:
    one, other = (Oracle(program(seed), backwards).run() for backwards in (False, True))
    assert difference(one, other) == ""


def test_nearly_all_programs_change_memory() -> None:
    idle = 0
    for seed in range(20):
        made = program(seed)
        before = {a.name: a.values() for a in made.job().arrays}
        idle += not difference(before, Oracle(made).run())
    assert idle < 3


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
