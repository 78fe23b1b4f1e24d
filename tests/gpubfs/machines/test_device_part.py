"""How the host's part of CUDA files is set aside."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.machines.corpus.declarations import declarations
from gpubfs.machines.corpus.device_part import DeviceProgram
from gpubfs.machines.corpus.python_strings import kernel_strings

FILE = """#include <stdio.h>
#include <vector>
#define N 8
#define CHECK(x) if (x) exit(1)
struct Host { std::vector<int> rows; };
struct Pair { int a, b; Pair(int) = delete;
  Pair() { cudaMalloc(0, 0); } __device__ int sum() { return a + b; } };
typedef Pair pair_t;
const int width = N;
static float *host_array;
__constant__ float weights[N];
int host(int x) { std::vector<int> v; return v.size(); }
__device__ int twice(int x) { return 2 * x; }
template <typename T> __device__ T other(T x) { return x; }
__global__ void first(pair_t *p) { p->a = twice(width); }
extern "C" {
__global__ void second(float *a) { a[0] = weights[0]; }
}
int main() {
#define M 3
  first<<<1, M>>>(nullptr);
  CHECK(cudaDeviceSynchronize());
}
"""


def device_part(text: str, *names: str, folder: Path = Path(), **words: bool) -> str:
    program = DeviceProgram(text, "file.cu", folder, **words)
    return program.of([one for one in program.kernels if one.name in names])[0]


def test_a_kernel_keeps_what_it_needs_and_its_lines() -> None:
    made = device_part(FILE, "first")
    kept = (
        "#define N",
        "struct Pair",
        "int sum()",
        "= delete",
        "typedef Pair",
        "width",
        "twice",
        "#define M",
    )
    gone = (
        "vector",
        "Pair()",
        "host_array",
        "weights",
        "other",
        "second",
        "<<<",
        "main",
        "exit(0)",
    )
    assert all(words in made for words in kept)
    assert not any(words in made for words in gone)
    lines = [line.rstrip() for line in made.split("\n")]
    assert len(lines) == FILE.count("\n") + 1
    assert all(
        line in ("", was)
        for line, was in zip(lines, FILE.split("\n"), strict=True)
        if "Pair" not in was
    )


def test_each_kernel_stands_alone() -> None:
    made = device_part(FILE, "second")
    assert "weights[N]" in made
    assert 'extern "C"' in made
    assert "first" not in made
    assert "twice" not in made
    assert "Pair" not in made


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("#define DEVICE __device__ inline\nDEVICE int f() { return 1; }", "DEVICE int f()"),
        ("#define KERNEL(n) __global__ void n(int *a) { a[0] = f(); }\n__device__ int f();", "f()"),
        ("enum Kind { RED, f };", "enum"),
        ("using f = int;", "using f"),
        ("typedef int (*f)(int);", "typedef"),
        (
            "#if A\n__device__ int f(int a) {\n#else\n__device__ int f() {\n#endif\n return 1; }",
            "return 1",
        ),
    ],
)
def test_what_is_needed_is_found(text: str, kept: str) -> None:
    made = device_part(f"{text}\n__global__ void k(int *a) {{ a[0] = f(); }}", "k")
    assert kept in made


def test_specialisations_are_needed_with_their_template() -> None:
    text = """template <typename T, typename U> __device__ T cast(U x);
    template <> __device__ float cast<float, int>(int x) { return x; }
    template <> __device__ int cast<int, Pair<int, 2>>(Pair<int, 2> x) { return x.a; }
    template <> __device__ int other<int>(int x) { return x; }
    __global__ void k(float *a) { a[0] = cast<float, int>(1); }"""
    made = device_part(text, "k")
    assert "cast<float, int>(int x)" in made
    assert "cast<int, Pair<int, 2>>" in made
    assert "other" not in made


@pytest.mark.parametrize(
    "text",
    [
        'char *f = "__device__ } {";',
        "int f() { return 1; }",
        "int f() { /* } */ char c = '}'; return 1; }",
        'std::string f(R"(} ")");',
        "class Q { int f() { return 1; } };",
    ],
)
def test_the_host_is_set_aside(text: str) -> None:
    made = device_part(f"{text}\n__global__ void k(int *a) {{ a[0] = f(); }}", "k")
    assert made.split("__global__")[0].strip() == ""


def test_headers_of_the_project_are_set_aside_too(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("int host() { return 1; }\n__device__ int f() { return 2; }\n")
    text = '#include "own.h"\n__global__ void k(int *a) { a[0] = f(); }'
    program = DeviceProgram(text, "k.cu", tmp_path)
    made, headers = program.of(program.kernels)
    assert '"own.h"' in made
    assert "host" not in headers["own.h"]
    assert "__device__ int f()" in headers["own.h"]


def test_strings_of_python_keep_their_lines() -> None:
    text = 'a = 1\nk = r"""\n__global__ void k() {}\n"""\nb = "__global__ void %s() {}" % a'
    assert kernel_strings(text) == [(2, "\n\n__global__ void k() {}\n")]
    assert kernel_strings("def (") == []


def test_names_in_values_are_not_declared() -> None:
    found = declarations("const int a = 4 * B, c = D; int e[F] = {1, 2}; int g = H; static int i;")
    assert [sorted(one.names) for one in found] == [["a", "c"], ["e"], ["g"], ["i"]]


def test_complex_numbers_of_thrust_have_a_header_for_kernels() -> None:
    text = "#include <thrust/complex.h>\n#include <thrust/sort.h>\n__global__ void k() {}"
    assert device_part(text, "k").split("\n")[:2] == ["#include <thrust/complex.h>", " " * 24]


SIGNS = """{ } ( ) ; int f __global__ template < > struct = " ' /* */ // namespace extern "C" \\ R"(
    operator using typedef""".split()
PIECES = st.sampled_from([*SIGNS, "\n", "\n#if A\n", "\n#else\n", "\n#endif\n"])


@given(st.lists(PIECES, max_size=30))
def test_any_text_is_read_and_keeps_its_lines(pieces: list[str]) -> None:
    text = "\n" + " ".join(pieces)
    found = declarations(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    program = DeviceProgram(text, "any.cu", Path())
    made, _ = program.of(program.kernels)
    assert len(made) == len(text)
    assert made.count("\n") == text.count("\n")
