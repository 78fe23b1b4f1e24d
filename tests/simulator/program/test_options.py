"""Compiler options as CuPy's users pass them: those that count, those that do not, and all others.

What is accepted and refused here was read from NVRTC 13.5.
"""

import numpy as np
import pytest

import simulator
from gpubfs.machines import nvrtc
from simulator.program.load import parse_options

VALUE = """
#ifndef X
#define X 100
#endif
extern "C" __global__ void k(int *a) { a[0] = X + 0; }
"""


def value(*options: str, code: str = VALUE, backend: str = "nvrtc") -> int:
    """What a kernel stores that is compiled with these options."""
    a = simulator.zeros(1, "int32")
    simulator.RawKernel(code, "k", options=options, backend=backend)((1,), (1,), (a,))
    return int(a[0])


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("-DX=3",), 3),
        (("-D X=3",), 3),
        (("-D", "X=3"), 3),
        (("-D=X=4",), 4),
        (("-DX",), 1),
        (("-D", "X"), 1),
        (("-DX=",), 0),
        (("-DX= 3 + 4",), 7),
        (("--define-macro=X=3",), 3),
        (("--define-macro", "X=3"), 3),
        (("--define-macro= X=3",), 3),
        (("-DX=1", "-DX=2"), 2),
        (("-DX=3", "-UX"), 100),
        (("-UX", "-DX=3"), 3),
        (("-DX=3", "-U", "X"), 100),
        (("-DX=3", "-U X"), 100),
        (("-DX=3", "--undefine-macro=X"), 100),
        (("-DX=3", "--undefine-macro", "X"), 100),
        (("-D", "Y", "-D", "X=9"), 9),
    ],
)
def test_macros_in_all_spellings(options: tuple[str, ...], found: int) -> None:
    assert value(*options) == found


@pytest.mark.parametrize("spelling", ["-I{}", "-I {}", "-I={}", "--include-path={}"])
def test_folders_in_all_spellings(tmp_path, spelling: str) -> None:
    (tmp_path / "x.cuh").write_text("#define X 5\n")
    code = '#include "x.cuh"\n' + VALUE
    assert value(spelling.format(tmp_path), code=code) == 5


@pytest.mark.parametrize("spelling", ["-I", "--include-path"])
def test_folders_in_two_entries(tmp_path, spelling: str) -> None:
    (tmp_path / "x.cuh").write_text("#define X 5\n")
    assert value(spelling, str(tmp_path), code='#include "x.cuh"\n' + VALUE) == 5


HARMLESS = """-G|--device-debug|-lineinfo|--generate-line-info|--maxrregcount=32|-maxrregcount=32
--maxrregcount 32|-maxrregcount 32|--gpu-architecture=sm_90|-arch=sm_90|-arch sm_80|-arch=sm_90a
--gpu-architecture=compute_90|--std=c++17|-std=c++11|-std=c++20|--use_fast_math|-use_fast_math
--ftz=true|-ftz=false|--prec-sqrt=false|-prec-div=true|--fmad=false|-fmad=true|--fmad false|-dc
--device-c|-rdc=true|-rdc=false|-rdc true|--relocatable-device-code=true|-w|--disable-warnings
--restrict|--device-int128|-device-int128|--builtin-move-forward=true|--dopt=on|-dopt on
--extra-device-vectorization|--ptxas-options=-v|-Xptxas -v|-Xptxas -O3|--modify-stack-limit=true
--diag-suppress=177|-diag-suppress 177|-err-no|--brief-diagnostics=true|--split-compile=2|--no-cache
--time=-|--pch|--minimal|-default-device|--device-as-default-execution-space|-Ofc=max""".replace(
    "\n", "|"
).split("|")


@pytest.mark.parametrize("option", HARMLESS)
def test_what_changes_no_result(option: str) -> None:
    assert value(*option.split(" "), "-DX=7") == 7


REFUSED = [
    ("-O3", "NVRTC does not take the compiler option '-O3'"),
    ("-Xcompiler -O3", "NVRTC does not take the compiler option '-Xcompiler'"),
    ("--expt-relaxed-constexpr", "NVRTC does not take"),
    ("-gencode=arch=compute_90,code=sm_90", "NVRTC does not take"),
    ("-dlink", "NVRTC does not take"),
    ("-arch=sm_5", "the compiler option '-arch' does not take 'sm_5'"),
    ("-arch=native", "'-arch' does not take 'native'"),
    ("-std=c++98", "'-std' does not take 'c++98'"),
    ("-std=gnu++17", "'-std' does not take 'gnu++17'"),
    ("-std c++17", "'-std' is not supported"),
    ("--fmad=maybe", "'--fmad' does not take 'maybe'"),
    ("--use_fast_math=true", "'--use_fast_math=true' is not supported"),
    ("-lineinfo=true", "'-lineinfo=true' is not supported"),
    ("--maxrregcount=abc", "does not take 'abc'"),
    ("--maxrregcount", "'--maxrregcount' needs a value"),
    ("-D", "'-D' needs a value"),
    ("-D3X", "names no macro: '3X'"),
    ("-D=3", "names no macro: '3'"),
    ("-I", "'-I' needs a value"),
    ("-dcfoo", "'-dcfoo' is not supported"),
    ("--lineinfo", "'--lineinfo' is not supported"),
    ("--pre-include=x.h", "'--pre-include=x.h' is not supported"),
    ("--diag-error=177", "'--diag-error=177' is not supported"),
    ("--nonsense", "'--nonsense' is not supported"),
    ("foo", "'foo' is not supported"),
]


@pytest.mark.parametrize(("option", "said"), REFUSED)
def test_what_is_refused_by_name(option: str, said: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        value(*option.split(" "))
    assert said in caught.value.message
    assert caught.value.hint


def test_nvrtc_takes_and_refuses_the_same() -> None:
    module, reason = nvrtc.load()
    if module is None or module.getVersion() < (13, 5):
        pytest.skip(reason or "options are those of NVRTC 13.5")
    apart = ("-Ofc=max", "--pch")  # the first contradicts -O3, the second leaves a file
    every = [part for option in HARMLESS if option not in apart for part in option.split(" ")]
    nvrtc._compile(VALUE, "k.cu", (*every, "-arch=sm_90"))
    for option, _ in REFUSED:
        own = option.startswith(("--pre-include", "--diag-error"))
        if not own and option not in ("-I", "--maxrregcount"):  # at the end NVRTC forgives them
            with pytest.raises(RuntimeError, match="error"):
                nvrtc._compile(VALUE, "k.cu", tuple(option.split(" ")))


def test_remedies_name_what_was_meant() -> None:
    with pytest.raises(simulator.CompileError, match="'--maxregcount=32'") as caught:
        value("--maxregcount=32")
    assert "did you mean --maxrregcount?" in caught.value.hint
    with pytest.raises(simulator.CompileError) as caught:
        value("--pre-include=x.h")
    assert "#include" in caught.value.hint


@pytest.mark.parametrize("option", ["-O3", "-Xcompiler -O3", "-g", "-gencode=arch=a,code=b"])
def test_options_of_nvcc_go_to_nvcc(option: str) -> None:
    assert value(*option.split(" "), backend="nvcc") == 100


def test_the_form_of_options_is_cupys() -> None:
    with pytest.raises(TypeError, match=r"with a comma: \(option,\); not str"):
        simulator.RawModule(code=VALUE, options="-DX=3")
    with pytest.raises(TypeError, match="not list"):
        simulator.RawKernel(VALUE, "k", options=["-DX=3"])
    with pytest.raises(TypeError, match="a compiler option is a str, not int"):
        simulator.RawModule(code=VALUE, options=(3,))
    with pytest.raises(ValueError, match="Invalid backend clang"):
        simulator.RawModule(code=VALUE, backend="clang")


UNMARKED = """
int table[3] = {10, 20, 30};
int count;
const int two = 2;
template <typename T> T twice(T x) { return two * x; }
static int add(int x, int y);
inline int add(int x, int y) { return twice(x) + y; }
extern "C" __global__ void k(int *a) { count = add(a[0], table[1]); a[0] = count; }
"""


@pytest.mark.parametrize("option", ["-default-device", "--device-as-default-execution-space"])
def test_what_has_no_execution_space_is_the_devices(option: str) -> None:
    module = simulator.RawModule(code=UNMARKED, options=(option,))
    a = simulator.asarray(np.array([4], "i4"))
    module.get_function("k")((1,), (1,), (a,))
    assert int(a[0]) == 28
    assert int(simulator.ndarray((1,), "int32", module.get_global("count"))[0]) == 28


def test_without_the_option_they_are_the_hosts() -> None:
    with pytest.raises(simulator.CompileError, match=r"global variable `table`"):
        simulator.RawModule(code=UNMARKED)


def test_what_says_host_stays_the_hosts() -> None:
    with pytest.raises(simulator.CompileError, match="`f` is a host function"):
        simulator.RawModule(code="__host__ int f() { return 1; }", options=("-default-device",))


def test_options_are_read_in_their_order() -> None:
    found = parse_options(("-DA=1", "-I", "x", "-UA", "-G", "--include-path=y", "-D", "B"))
    assert (found.defines, found.folders, found.default_device) == ({"B": "1"}, ["x", "y"], False)
