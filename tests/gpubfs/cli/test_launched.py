"""`gpubfs trace` and `gpubfs lines` of any CUDA file, launched as TOML or options say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Call = Callable[..., tuple[int, str, str]]
CODE = """extern "C" __global__ void saxpy(float a, const float *x, float *y, int n, bool add) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + (add ? y[i] : 0.0f);
}
extern "C" __global__ void small(const char *a, unsigned long long n, void *b) { }
struct Pair { int x, y; };
extern "C" __global__ void pairs(Pair one) { }
"""
TOML = """kernel = "saxpy"
grid = 2
block = 32
[arguments]
a = 2.5
x = { fill = "arange", shape = 64 }
y = { dtype = "float32", fill = 1, shape = [8, 8] }
n = 64
add = true
"""
OPTIONS = (
    "--kernel saxpy --grid 2 --block 32 --arg a=2 --arg x=arange:64 --arg y=empty:64 --arg n=64 "
    "--arg add=false"
).split()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file of kernels and how one is launched."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.cu").write_text(CODE)
    (tmp_path / "mine.toml").write_text(TOML)
    return tmp_path


def test_a_launch_is_traced(here: Path, call: Call) -> None:
    code, out, err = call("trace", "mine.cu", "--launch", "mine.toml", "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert (data["kernel"], data["failure"], data["wrong_step"]) == ("saxpy", None, None)
    assert [step["line"] for step in data["steps"]] == [2, 3, 3, 3, 3, 3][: len(data["steps"])]
    code, out, _ = call("trace", "mine.cu", "--launch", "mine.toml", "--schedule", "warp")
    assert "mine.cu, warp · saxpy<<<2, 32>>>" in out
    assert "a 2.5" in out


def test_its_lines_are_counted(here: Path, call: Call) -> None:
    code, out, err = call("lines", "mine.cu", "--launch", "mine.toml", "--device", "toy4", "--json")
    data = json.loads(out)
    assert (code, err, data["device"]) == (0, "", "toy4")
    loads = {site["array"]: site for site in data["sites"] if site["kind"] == "load"}
    assert set(loads) == {"x", "y"}
    assert loads["x"]["requests"] == 16
    assert "mine.cu, lockstep" in call("lines", "mine.cu", "--launch", "mine.toml")[1]


@pytest.mark.parametrize("command", ["trace", "lines"])
def test_options_may_say_it(here: Path, call: Call, command: str) -> None:
    code, out, err = call(command, "mine.cu", *OPTIONS)
    assert (code, err) == (0, "")
    assert "saxpy" in out


def test_a_grid_may_have_two_dimensions(here: Path, call: Call) -> None:
    asked = [{"2": "2,1", "32": "16,2"}.get(part, part) for part in OPTIONS]
    code, out, _ = call("trace", "mine.cu", *asked)
    assert code == 0
    assert "saxpy<<<2, 32>>>" in out


@pytest.mark.parametrize("command", ["trace", "lines"])
def test_a_fault_is_shown_and_told(here: Path, call: Call, command: str) -> None:
    (here / "mine.toml").write_text(TOML.replace("[8, 8]", "40"))
    code, out, err = call(command, "mine.cu", "--launch", "mine.toml")
    assert code == 0
    assert "mine.cu, lockstep: stopped" in err
    assert "but y has 40 elements" in err
    assert "saxpy" in out
    assert ("it goes wrong at step 4 of 4" in err) == (command == "trace")


def test_sanitizers_may_watch(here: Path, call: Call) -> None:
    text = 'sanitize = "init"\n' + TOML.replace("fill = 1, ", "")
    (here / "mine.toml").write_text(text)
    _, _, err = call("trace", "mine.cu", "--launch", "mine.toml")
    assert "which nothing has written" in err


def test_headers_of_the_package_and_beside_it_are_found(here: Path, call: Call) -> None:
    (here / "own.cuh").write_text("#define OWN 3\n")
    text = '#include "csr.cuh"\n#include "own.cuh"\n'
    (here / "mine.cu").write_text(
        f'{text}extern "C" __global__ void k(offset_t *a) {{ a[0] = OWN; }}\n'
    )
    options = "--kernel k --grid 1 --block 1 --arg a=0:1".split()
    assert call("trace", "mine.cu", *options)[0] == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("grid = 2", "grid = ", "mine.toml: Invalid value (at line 2"),
        ("grid = 2\n", "", "does not say its grid"),
        ("grid = 2", "grid = 0", "grid is 0"),
        ("grid = 2", "gird = 2", "did you mean grid?"),
        ("block = 32", "block = 2048", "mine.toml: a block of saxpy has 2,048 threads"),
        ("block = 32", "block = true", "block is True"),
        ("block = 32", "block = 32\nshared = -1", "shared is -1"),
        ("block = 32", 'block = 32\nsanitize = "al"', "sanitizer in mine.toml"),
        ('"saxpy"', '"saxpi"', "mine.toml: the source has no kernel 'saxpi'"),
        ("n = 64\n", "", "takes 5 arguments, and 4 are given: n is missing"),
        ("n = 64", "n = 64\nm = 3", 'arguments) "m"'),
        ("n = 64", "n = 64.5", "mine.toml: n is 64.5, and the kernel takes int"),
        ("n = 64", "n = 3000000000", "from -2147483648 to 2147483647"),
        ("n = 64", "n = true", "n is True"),
        ("n = 64", "n = [1]", "n is [1], and the kernel takes int"),
        ("n = 64", "n = { shape = 3 }", "n is a table"),
        ("a = 2.5", 'a = "2.5"', "a is '2.5', and the kernel takes float"),
        ("add = true", "add = 2", "give true or false"),
        ('"float32"', '"int32"', "y: dtype is int32, but the kernel takes float *"),
        ('"float32"', '"float"', "dtype is 'float'"),
        ('fill = "arange"', 'fill = "range"', "fill is 'range'"),
        ("shape = 64", "shape = 0", "shape is 0"),
        ("shape = 64", "shape = 99999999999", "x has 399,999,999,996 bytes"),
        ("shape = 64", "shap = 64", "did you mean shape?"),
        ("shape = 64", "values = [1]", "has not one of values and shape"),
        ('{ fill = "arange", shape = 64 }', "3", "x is 3, and the kernel takes const float *"),
        ('{ fill = "arange", shape = 64 }', '[1, "b"]', "the value 'b', and elements are float32"),
        ('{ fill = "arange", shape = 64 }', "[[1], [2, 3]]", "not all of one length"),
        ('{ fill = "arange", shape = 64 }', "[]", "x has no values"),
    ],
)
def test_a_mistake_gets_one_message(here: Path, call: Call, old: str, new: str, words: str) -> None:
    assert old in TOML
    (here / "mine.toml").write_text(TOML.replace(old, new))
    for command in ("trace", "lines"):
        code, out, err = call(command, "mine.cu", "--launch", "mine.toml")
        assert (code, out) == (2, "")
        assert words in err
        assert err.startswith("error: ")
        assert "Traceback" not in err


def small(**arguments: str) -> list[str]:
    given = {"a": "[1]", "n": "1", "b": "{ dtype = 'int8', shape = 1 }"} | arguments
    named = [part for name, value in given.items() for part in ("--arg", f"{name}={value}")]
    return [*"--kernel small --grid 1 --block 1".split(), *named]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (small(a="[128]"), "the value 128, and elements are int8"),
        (small(a="300:4"), "fill is 300, and elements are int8"),
        (small(n="-1"), "from 0 to 18446744073709551615"),
        (small(b="0:4"), "b does not say its dtype, and the kernel takes void *"),
        (small(n="1x"), "--arg n: '1x' cannot be read"),
        (small(**{"": "1"}), "--arg =1 is no argument"),
        ("--kernel pairs --grid 1 --block 1 --arg one=1".split(), "one is of type"),
        ("--kernel saxpy --grid 1".split(), "nothing says the block"),
        ("--kernel saxpy --grid a --block 1".split(), "--grid: 'a' cannot be read"),
        (["--launch", "mine.toml", "--grid", "1"], "--launch says already"),
        (["--launch", "none.toml"], "none.toml"),
        (["--launch", "mine.toml", "--graph", "toy"], "--graph and a CUDA file"),
        (["--launch", "mine.toml", "--schedule", "fair"], "fair"),
        (["--launch", "mine.toml", "--device", "h20"], "h200"),
        ([], "nothing says the kernel that mine.cu is launched with"),
    ],
)
@pytest.mark.parametrize("command", ["trace", "lines"])
def test_options_that_do_not_fit_are_refused(
    here: Path, call: Call, command: str, given: list[str], words: str
) -> None:
    code, out, err = call(command, "mine.cu", *given)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_what_cannot_be_compiled_is_told_with_its_line(here: Path, call: Call) -> None:
    (here / "mine.cu").write_text(CODE.replace("int i =", "int i = nothing +"))
    code, _, err = call("trace", "mine.cu", "--launch", "mine.toml")
    assert code == 2
    assert "mine.cu:2:11: error: `nothing` is not declared" in err


def test_files_and_techniques_do_not_mix(here: Path, call: Call) -> None:
    assert "--launch is for a CUDA file" in call("trace", "scan-free", "--launch", "mine.toml")[2]
    assert "launched alone" in call("trace", "mine.cu", "scan-free", *OPTIONS)[2]
    assert "there is no file no.cu" in call("trace", "no.cu", *OPTIONS)[2]
