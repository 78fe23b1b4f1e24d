"""Sources made to break the reader: very long, very deep, growing, garbled. Each ends soon."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import simulator
from simulator import CompileError
from tests.sampling import sampled
from tests.timing import soon

MIB = 1 << 20
#: Seconds of processor time for as many words as a program may have, and some more.
LONGEST = 40
KERNEL = 'extern "C" __global__ void k(int *a) {{ {} }}'


def run(text: str) -> int:
    """The first element of the array after a launch of kernel `k`."""
    with simulator.Device(memory=1 << 16):
        array = simulator.zeros(32, "int32")
        simulator.RawKernel(text, "k")((1,), (32,), (array,))
        return int(array[0])


def refused(text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        run(text)
    assert len(str(caught.value)) < 4 * MIB
    return caught.value


def functions(count: int) -> str:
    """A file of `count` functions, and a kernel that calls the last."""
    text = "".join(
        f"__device__ int f{i}(int x) {{ int y = x * {i} + 1; if (y > 3) y -= {i}; return y; }}\n"
        for i in range(count)
    )
    return text + KERNEL.format(f"a[threadIdx.x] = f{count - 1}(1);")


def chain(count: int, body: str, first: str = "return x + 1;") -> str:
    """Functions, each of which calls the one before it as `body` says."""
    rows = [f"__device__ int f0(int x) {{ {first} }}\n"]
    rows += [
        f"__device__ int f{i}(int x) {{ {body.replace('f', f'f{i - 1}')} }}\n"
        for i in range(1, count)
    ]
    return "".join(rows).replace("f0f", "f") + KERNEL.format(f"a[0] = f{count - 1}(1);")


@pytest.mark.slow
def test_a_mebibyte_of_functions() -> None:
    text = functions(12_500)
    assert len(text) > MIB
    with soon(LONGEST):
        assert "words is too long" in refused(text).message


@pytest.mark.slow
def test_half_a_mebibyte_of_functions() -> None:
    text = functions(6_000)
    assert len(text) > MIB // 2.1
    with soon(LONGEST):
        assert run(text) == 1


@pytest.mark.slow
def test_a_hundred_kibibytes_of_functions() -> None:
    with soon(8):
        assert run(functions(1_200)) == 1


def _noise(seed: int, last: int) -> str:
    return "".join(map(chr, random.Random(seed).choices(range(last), k=MIB)))


def _words(seed: int) -> str:
    words = "int float ( ) { } [ ] ; , + - * / x y 1 2 if else while __global__ void # \n"
    return " ".join(random.Random(seed).choices(words.split(" "), k=MIB // 4))


#: Made where they are read: nobody else waits for them.
GARBAGE: dict[str, Callable[[], str]] = {
    "bytes": lambda: _noise(1, 128),
    "characters": lambda: _noise(2, 0x3000),
    "words": lambda: _words(3),
    "words again": lambda: _words(4),
    "one name": lambda: "x" * MIB,
    "one number": lambda: KERNEL.format("a[0] = " + "1" * MIB + ";"),
    "a comment without an end": lambda: "/*" + "* /" * (MIB // 3),
    "a string without an end": lambda: '"' + "\\a" * (MIB // 2),
    "brackets": lambda: "(" * MIB,
    "braces": lambda: "{" * MIB,
    "closing brackets": lambda: ")" * MIB,
    "signs": lambda: "#" * MIB,
    "a name of a file": lambda: '#include "' + "x/" * (MIB // 2) + '"',
    "a quarter of it": lambda: functions(12_500)[: MIB // 40],
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_a_mebibyte_of_garbage(kind: str) -> None:
    text = GARBAGE[kind]()
    with soon(20):
        refused(text)


EMPTY = {
    "comment": "/*" + "*" * MIB + "*/",
    "lines": "\n" * (MIB // 4),
    "joined lines": "\\\n" * (MIB // 2),
    "directives": "#\n" * (MIB // 8),
    "conditions": "#if 1\n" * 10_000 + "#endif\n" * 10_000,
    "skipped": "#if 0\n" + "x " * (MIB // 8) + "\n#endif\n",
    "macros": "".join(f"#define M{i} M{i + 1}\n" for i in range(10_000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", sampled(EMPTY, 4))
def test_long_files_of_nothing_are_read(kind: str) -> None:
    with soon(20):
        assert run(EMPTY[kind] + KERNEL.format("a[0] = 42;")) == 42


@pytest.mark.slow
def test_a_program_of_too_many_words() -> None:
    with soon(LONGEST):
        assert "words is too long" in refused(KERNEL.format(";" * MIB)).message


# Nesting

DEEP = {
    "brackets": "a[0] = " + "(" * 5_000 + "1" + ")" * 5_000 + ";",
    "blocks": "{" * 5_000 + "}" * 5_000,
    "branches": "if (a[0]) " * 5_000 + ";",
    "otherwise": "if (a[0]) ;" + "else if (a[0]) ;" * 5_000,
    "loops": "while (a[0]) " * 5_000 + ";",
    "signs": "a[0] = " + "- " * 5_000 + "1;",
    "stars": "int " + "*" * 5_000 + "p;",
    "lengths": "int s" + "[1]" * 5_000 + ";",
    "indices": "a[0] = " + "a[" * 5_000 + "0" + "]" * 5_000 + ";",
    "choices": "a[0] = " + "a[0] ? 1 : " * 5_000 + "0;",
    "assignments": "int x; " + "x = " * 5_000 + "0;",
    "commas": "int x; x = 1" + ", x = 2" * 5_000 + ";",
    "sums": "a[0] = 1" + " + a[0]" * 5_000 + ";",
    "casts": "a[0] = " + "(int)" * 5_000 + "0;",
    "and": "a[0] = 1" + " && a[0]" * 5_000 + ";",
}


@pytest.mark.parametrize("kind", sampled(DEEP, 5))
def test_deep_nesting_is_refused(kind: str) -> None:
    with soon(10):
        refused(KERNEL.format(DEEP[kind]))


@pytest.mark.parametrize("count", sampled([300, 3_000], 2))
def test_a_long_chain_of_calls(count: int) -> None:
    with soon(10):
        refused(chain(count, "return f(x);"))


@pytest.mark.slow
def test_calls_that_double_at_each_step() -> None:
    with soon(10):
        assert "too many calls" in refused(chain(64, "return f(x) + f(x + 1);")).message


@pytest.mark.slow
def test_many_calls_are_no_bomb() -> None:
    calls = "a[0] = f0(a[0]);" * 1_000
    assert run("__device__ int f0(int x) { return x + 1; }\n" + KERNEL.format(calls)) == 1_000


# Macros


def _doubling(first: str, step: str) -> str:
    return f"#define M0{first}\n" + "".join(
        f"#define M{i}{step.replace('M', f'M{i - 1}')}\n" for i in range(1, 64)
    )


BOMBS = {
    "objects": _doubling(" a[0] += 1;", " M M") + KERNEL.format("M63"),
    "nothing": _doubling("", " M M") + KERNEL.format("M63"),
    "functions": _doubling("(x) x x", "(x) M(x x)") + KERNEL.format("M63(a[0]++;)"),
    "arguments": "#define F(x) x x\n" + KERNEL.format("F(" * 64 + "a[0]++;" + ")" * 64),
    "conditions": _doubling(" 1", " M + M") + "#if M63\n#endif\n" + KERNEL.format(""),
}

_SLOW = dict.fromkeys(("objects", "functions", "arguments"), pytest.mark.slow)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [pytest.param(text, marks=_SLOW.get(name, ()), id=name) for name, text in BOMBS.items()]
)
def test_macros_that_double(text: str) -> None:
    with soon(20):
        assert re.search("expand too far|too long", refused(text).message)


def test_a_bomb_that_nobody_uses_is_harmless() -> None:
    assert run(_doubling(" a[0] += 1;", " M M") + KERNEL.format("a[0] = 42;")) == 42


def test_macros_that_name_each_other() -> None:
    assert run("#define A B\n#define B A\n" + KERNEL.format("int A = 42; a[0] = A;")) == 42


@pytest.mark.slow
def test_deep_arguments_of_macros() -> None:
    with soon(10):
        refused("#define F(x) x\n" + KERNEL.format("F(" * 5_000 + "1" + ")" * 5_000 + ";"))


# Characters

ODD = {
    "NUL": "a[0]\0 = 1;",
    "an escape": "\x1b[31m a[0] = 1;",
    "a byte order mark": "\ufeff a[0] = 1;",
    "half a pair": "\udc80;",
    "a line that turns": "a[0] = 1\u202e;",
    "a sign that looks like another": "a[0] = 1\u037e",
}


@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
def test_odd_characters_are_refused_in_code(body: str) -> None:
    refused(KERNEL.format(body))


@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
def test_odd_characters_are_nothing_in_comments(body: str) -> None:
    assert run(f"/* {body} */ // {body}\n" + KERNEL.format("a[0] = 42;")) == 42


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_bytes(bytes(range(256)))
    with pytest.raises(CompileError, match=r"cannot be read as UTF-8"):
        simulator.RawModule(path=str(file))


def test_a_file_is_read_as_utf_8_wherever_the_machine_stands(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("// größer\n" + KERNEL.format("a[0] = 42;"), encoding="utf-8")
    assert "größer" in simulator.RawModule(path=str(file)).code


# Headers


@pytest.mark.parametrize("name", ["{}/secret", "../secret", "sub/../../secret", "secret\0.h"])
def test_headers_outside_the_include_folders_cannot_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("the text of the file\n")
    inside = tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    text = f'#include "{name.format(tmp_path)}"\n' + KERNEL.format("a[0] = 42;")
    with pytest.raises(CompileError, match="is not known") as caught:
        simulator.RawModule(code=text, options=(f"-I{inside}",))
    assert "the text of the file" not in str(caught.value)


def test_headers_in_folders_within_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "inner.h").write_text('#include "../outer.h"\n')
    (tmp_path / "outer.h").write_text("#define VALUE 42\n")
    text = '#include "sub/inner.h"\n' + KERNEL.format("a[0] = VALUE;")
    kernel = simulator.RawKernel(text, "k", options=(f"-I{tmp_path}",))
    array = simulator.zeros(1, "int32")
    kernel((1,), (1,), (array,))
    assert array.get().tolist() == [42]
