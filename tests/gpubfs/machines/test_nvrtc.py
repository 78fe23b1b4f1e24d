"""Every shipped kernel through NVIDIA's compiler, for each architecture and width of offsets.

By default each kernel is compiled for two of them, and with a third of its macros' values.
"""

from itertools import product

import pytest

from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from gpubfs.measure.hardware.cases import EXPERIMENTS
from gpubfs.search.catalogue import techniques
from gpubfs.search.option import AUTO
from tests.sampling import sampled

FILES = sorted(KERNELS.glob("*.cu"))


@pytest.fixture(autouse=True)
def compiler() -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)


def label(value: object) -> str:
    return str(getattr(value, "name", value))


@pytest.mark.parametrize(
    ("file", "architecture", "offset"),
    sampled(product(FILES, ["sm_75", "sm_80", "sm_90"], ["int", "long long"]), 3, each=0),
    ids=label,
)
def test_kernels_compile_without_a_word(file, architecture, offset) -> None:
    assert nvrtc.compile_file(file, architecture, (f"OFFSET={offset}",)) == ""


MACROS = {
    (technique.path, option.define, option.macro(value))
    for technique in techniques().values()
    for option in technique.options
    if option.define
    for value in (option.choices or (option.default, option.minimum, option.maximum, True))
    if value is not None and value != AUTO
}


@pytest.mark.parametrize(("file", "macro", "value"), sampled(sorted(MACROS), 3, each=1), ids=label)
def test_every_choice_of_a_macro_compiles(file, macro, value) -> None:
    architecture = "sm_90" if macro == "RANKS" else "sm_80"  # clusters of several blocks
    assert nvrtc.compile_file(file, architecture, (f"{macro}={value}",)) == ""


@pytest.mark.parametrize(
    ("file", "experiment"), sampled(product(FILES, EXPERIMENTS), 2, each=0), ids=label
)
def test_kernels_compile_as_the_experiments_change_them(file, experiment) -> None:
    assert nvrtc.compile_file(file, "sm_90", flags=(experiment.flag,)) == ""


def test_an_error_is_the_compilers_own(tmp_path) -> None:
    wrong = tmp_path / "wrong.cu"
    wrong.write_text('extern "C" __global__ void f(int *a) { a[0] = b; }')
    with pytest.raises(RuntimeError, match=r'wrong\.cu\(1\): error: identifier "b" is undefined'):
        nvrtc.compile_file(wrong)


def test_macros_and_headers_reach_the_compiler(tmp_path) -> None:
    (tmp_path / "own.cuh").write_text("#define ZERO 0")
    kernel = tmp_path / "k.cu"
    kernel.write_text(
        '#include "own.cuh"\n#include "csr.cuh"\n'
        'extern "C" __global__ void f(offset_t *a) { a[ZERO] = VALUE; }'
    )
    assert nvrtc.compile_file(kernel, defines=("VALUE=3",)) == ""
