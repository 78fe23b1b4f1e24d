"""Common mistakes in CUDA C: each block of mistakes/*.md holds one message to the character."""

from __future__ import annotations

import re

import pytest

import simulator
from gpubfs.machines import nvrtc
from simulator.check import check
from simulator.read import read
from simulator.source import Source
from tests.diagnostics.blocks import FOLDER, Mistake, mistakes, renewed

FILES = sorted(FOLDER.glob("*.md"))
MISTAKES = [mistake for file in FILES for mistake in mistakes(file)]
CUDA = [mistake for mistake in MISTAKES if not mistake.launch]


def named(mistake: Mistake) -> str:
    return f"{mistake.file.stem}: {mistake.title}"


@pytest.mark.parametrize("mistake", MISTAKES, ids=named)
def test_mistakes_get_their_message(mistake: Mistake) -> None:
    assert mistake.rendering() == mistake.expected


@pytest.mark.parametrize("mistake", MISTAKES, ids=named)
def test_messages_are_one_sentence_with_a_place_and_fit_a_screen(mistake: Mistake) -> None:
    first, *rest = mistake.expected.splitlines()
    message = first.split(": ", 2)[-1]
    assert not message.endswith((".", "!"))
    assert re.match(r"kernel\.cu:\d+:\d+: (error|warning): ", first) or mistake.launch
    assert max(map(len, mistake.expected.splitlines())) <= 110
    assert any(set(line.strip()) <= {"^", "~"} for line in rest) or "get_function" in mistake.launch


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_block_is_read(file) -> None:
    """A block with a slip in its own form would else be left out silently."""
    text = file.read_text(encoding="utf-8")
    assert len(list(mistakes(file))) == len(re.findall(r"^## ", text, re.MULTILINE))
    titles = [mistake.title for mistake in mistakes(file)]
    assert len(set(titles)) == len(titles)


def test_renewing_changes_only_the_messages(tmp_path) -> None:
    file = tmp_path / "one.md"
    text = "# One\n\n## A slip\n\n```cuda\nint x\n```\n\n```text\n{}\n```\n\nThe end.\n"
    file.write_text(text.format("old"))
    (mistake,) = mistakes(file)
    assert renewed(file) == text.format(mistake.rendering())


@pytest.mark.slow
@pytest.mark.parametrize("mistake", CUDA, ids=named)
def test_cuda_agrees_or_the_block_says_so(mistake: Mistake, tmp_path) -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    file = tmp_path / "kernel.cu"
    file.write_text(mistake.code, encoding="utf-8")
    try:
        nvrtc.compile_file(file)
        accepted = True
    except RuntimeError:
        accepted = False
    warned = ": warning: " in mistake.expected
    assert accepted == ((warned or mistake.cuda_accepts) and not mistake.cuda_refuses)


@pytest.mark.parametrize(
    "statements",
    [
        "if ((n = a[0])) a[1] = n;",
        "while ((n = a[n])) ;",
        "for (int i = 0; i < n; i++) ;",
        "if (n > 0) ; else a[0] = 1;",
        "bool even = (n & 1) == 0 & (n & 2) == 0;",
        "bool ordered = (0 < n) == (n < 10);",
        "unsigned u = n; if (u > 0 || u <= 0 || u == 0) a[0] = 1;",
        "(void)n;",
        "a[(n, 1)] = 0;",
        "x[0] = 1.0f / 2;",
        "a[0] = 4 / 2;",
        "unsigned long long bit = 1ull << 40;",
        "if (blockIdx.x == 0) __syncthreads();",
        "int m = 0; if (n > m) __syncthreads();",
        "for (int base = 0; base < n; base += blockDim.x) { __syncthreads(); a[threadIdx.x] = n; }",
        "int left = __syncthreads_count(threadIdx.x < n); if (left > 3) __syncthreads();",
        "if (threadIdx.x == 0) __syncwarp();",
        "do a[0] = n; while (__syncthreads_or(threadIdx.x < n));",
    ],
)
def test_what_is_meant_gets_no_warning(statements: str) -> None:
    text = f"__global__ void k(int *a, float *x, int n) {{ {statements} }}"
    assert [str(warning) for warning in check(read(Source(text))).warnings] == []


def test_what_macros_make_gets_no_warning() -> None:
    text = """
    #define CHECK(x) if ((x) < 0) ;
    #define SHIFT(x) ((x) << 40)
    __global__ void k(unsigned n, unsigned *a) { CHECK(n) a[0] = SHIFT(n); }
    """
    assert check(read(Source(text))).warnings == ()


@pytest.mark.parametrize(
    ("words", "signs"),
    [
        ("n and m or not k", "n && m || !k"),
        ("(n xor m bitand k bitor 1) > 9", "(n ^ m & k | 1) > 9"),
        ("not true or n and m", "!true || n && m"),
        ("compl n not_eq -2", "~n != -2"),
    ],
)
def test_words_for_operators_are_operators(words: str, signs: str) -> None:
    start = 'extern "C" __global__ void k(bool *a) { int n = threadIdx.x, m = n / 3, k = n % 5;'
    results = []
    for text in (words, signs):
        a = simulator.zeros(64, "bool")
        simulator.RawKernel(f"{start} a[n] = {text}; }}", "k")((1,), (64,), (a,))
        results.append(a.get().tolist())
    assert results[0] == results[1]
    assert len(set(results[0])) == 2


def test_words_for_operators_stand_in_conditions_of_the_preprocessor() -> None:
    text = "#if not defined(A) and (B or 0)\n__global__ void k() { }\n#endif"
    assert list(check(read(Source(text), {"B": "1"})).kernels) == ["k"]
    assert not check(read(Source(text), {"A": "1", "B": "1"})).kernels
