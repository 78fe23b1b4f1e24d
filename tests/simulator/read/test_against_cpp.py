"""The preprocessor against C's own, where it is installed, on random macros."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.read import grammar
from simulator.read.preprocess import Preprocessor
from simulator.source import CompileError, Source

CPP = shutil.which("cpp")
pytestmark = pytest.mark.skipif(CPP is None, reason="the C preprocessor is not installed")


def body(parts: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts), max_size=5).map(" ".join)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw definitions of macros, and uses of them."""
    plain = ["x", "y", "1", "A", "B", "F ( x )", "+"]
    lines = [f"#define {name} {draw(body(plain))}" for name in "AB"]
    lines.append(f"#define F(x) {draw(body([*plain, '# x', 'x ## 1', 'q ## x']))}")
    lines.append(f"#define G(x, y) {draw(body([*plain, '# y', 'x ## y', 'G ( y , x )']))}")
    rest = ["__VA_ARGS__", "# __VA_ARGS__", "p ( x , ## __VA_ARGS__ )"]
    lines.append(f"#define V(x, ...) {draw(body([*plain, *rest]))}")
    word = st.sampled_from(["x", "1", "A", "B", "F(A)", "F(x)", "(B)"])
    for _ in range(3):
        lines.append(f"A F({draw(word)}) G({draw(word)},{draw(word)}) V(x)")
        lines.append(f"V({', '.join(draw(st.lists(word, min_size=1, max_size=3)))})")
    return "\n".join(lines) + "\n"


def plain_words(text: str) -> list[str]:
    return [token.text for token in grammar.lex(Source(text)) if token.type != "NEWLINE"]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(programs())
def test_macros_are_what_they_are_in_c(text: str) -> None:
    command = [str(CPP), "-P", "-undef", "-std=gnu++17", "-x", "c++", "-"]
    asked = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    try:
        made = [token.text for token in Preprocessor({}, {}).tokens(Source(text))]
    except CompileError:
        assert asked.returncode != 0 or "error" in asked.stderr
        return
    if asked.returncode == 0:
        assert [one.replace(" ", "") for one in made] == [
            one.replace(" ", "") for one in plain_words(asked.stdout)
        ]
