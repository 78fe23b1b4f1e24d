"""Specification strings: how they are read, and what the errors for wrong ones say."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.graphs import FAMILIES, Graph, GraphError, graph, names
from gpubfs.graphs.family import Family


@pytest.mark.parametrize(
    ("spec", "same"),
    [
        ("kron:5", "kron:5,16,seed=1"),
        ("kron:5,8", "kron:scale=5,edge_factor=8"),
        ("kron:5,seed=3,edge-factor=8", "kron:5,8,seed=3"),
        ("er:5", "er:5,16,seed=2"),
        ("grid:4", "grid:4x4"),
        ("grid:4x3", "grid:width=4,height=3"),
        ("grid:4x3", "GRID: 4 × 3 "),
        ("star:1_000", "star:1000"),
        (" toy ", "toy"),
        ("les_miserables", "les-miserables"),
    ],
)
def test_two_ways_to_write_it(spec: str, same: str) -> None:
    assert graph(spec) == graph(same)
    assert graph(spec).name == spec.strip()


@pytest.mark.parametrize(
    ("spec", "message", "hint"),
    [
        ("", "the specification names no graph", "for example kron:16"),
        ("krom:4", "there is no graph called 'krom'", "did you mean kron?"),
        ("karat", "there is no graph called 'karat'", "did you mean karate?"),
        ("qqqqqq", "there is no graph called 'qqqqqq'", "the names are kron, er, grid"),
        ("kron", "kron needs its scale", "write kron:SCALE[,EDGE_FACTOR][,seed=NUMBER]"),
        ("kron:", "kron needs its scale", "for example kron:16"),
        ("kron:seed=3", "kron needs its scale", "for example kron:16"),
        ("grid:", "grid needs its width", "write grid:WIDTH[xHEIGHT], for example grid:300x200"),
        ("kron:ten", "'ten' in kron:ten is not a whole number for the scale", "kron:16"),
        ("kron:1.5", "'1.5' in kron:1.5 is not a whole number for the scale", "kron:16"),
        ("kron:4,", "'' in kron:4, is not a whole number for the edge factor", "kron:16"),
        ("kron:" + "9" * 99, "is not a whole number", "kron:16"),
        ("kron:40", "the scale in kron:40 is 40 and must be at most 30 (32-bit", "kron:16"),
        ("kron:0", "the scale in kron:0 is 0 and must be at least 1", "kron:16"),
        ("er:-3", "the scale in er:-3 is -3 and must be at least 1", "er:16"),
        ("path:0", "the number of vertices in path:0 is 0 and must be at least 1", "path:1000"),
        ("star:0", "the number of leaves in star:0 is 0", "star:100000"),
        ("grid:4x0", "the height in grid:4x0 is 0", "grid:300x200"),
        ("grid:x", "'' in grid:x is not a whole number for the width", "grid:300x200"),
        ("grid:x4", "'' in grid:x4 is not a whole number for the width", "grid:300x200"),
        ("grid:4x", "'' in grid:4x is not a whole number for the height", "grid:300x200"),
        ("grid:4x3x2", "'3x2' in grid:4x3x2 is not a whole number for the height", "300x200"),
        ("grid:max=4", "grid has no parameter 'max'", "write grid:WIDTH[xHEIGHT]"),
        ("kron:4,8,9", "kron takes 2 numbers and got 3", "write kron:SCALE[,EDGE_FACTOR]"),
        ("path:4,5", "path takes 1 number and got 2", "write path:VERTICES, for example path:1000"),
        ("kron:4,scale=5", "gives scale twice", "write kron:"),
        ("kron:4,sead=5", "kron has no parameter 'sead'", "did you mean seed?"),
        ("kron:4,seed=-1", "the seed in kron:4,seed=-1 is -1 and must be at least 0", "kron:16"),
        ("path:4,seed=5", "path has no randomness and takes no seed", "write path:1000"),
        ("toy:3", "toy is one fixed graph and takes no size", "write toy"),
        ("karate:34", "karate is one fixed graph and takes no size", "write karate"),
        ("path:3000000000", "3,000,000,000 vertices", "take a smaller one"),
        ("grid:99999x99999", "the limit is 2,147,483,647", "take a smaller one"),
        ("kron:30,1000000", "GiB", "take a smaller one, for example kron:16"),
        ("file:", "file: needs a path", "for example file:"),
        ("file", "file: needs a path", "for example file:"),
        ("file:a\0b", "file: needs a path", "for example file:"),
        ("file:no-such.txt,directed", "there is no such file", "check the path"),
    ],
)
def test_errors(spec: str, message: str, hint: str) -> None:
    with pytest.raises(GraphError) as error:
        graph(spec)
    assert message in error.value.message
    assert hint in error.value.hint
    assert "\n" not in error.value.message
    assert "error: " in str(error.value)


def test_a_path_without_file_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "web.txt"
    path.write_text("0 1\n")
    with pytest.raises(GraphError) as error:
        graph(str(path))
    assert error.value.hint == f"to read that file, write file:{path}"


def test_every_family_has_a_working_example_form() -> None:
    assert set(FAMILIES) < set(names())
    for name, family in FAMILIES.items():
        assert family.example.startswith(f"{name}:")
        assert family.summary


def a_family(separator: str, *parameters: str) -> Family:
    """A family whose sizes all have to be given."""
    empty = dict.fromkeys(parameters, inspect.Parameter.empty)
    return Family("box", Graph.from_edges, empty, "box:1", "", separator=separator)


@pytest.mark.parametrize(
    "rest", ["max_x=4,x=3", "max_x=4xx=3", "max-x = 4 × x = 3", "4xx=3", "4x3", "x=3,max-x=4"]
)
def test_a_separator_in_a_parameters_name_separates_nothing(rest: str) -> None:
    assert a_family("x", "max_x", "x").sizes(f"box:{rest}", rest) == {"max_x": 4, "x": 3}


NAMES = st.from_regex(r"[a-z_x-]{0,3}[x_-][a-z0-9_x-]{0,3}", fullmatch=True).map(
    lambda name: name.replace("-", "_")
)


@pytest.mark.slow
@given(
    separator=st.sampled_from(["x", ",", "-", "_to_", "/"]),
    sizes=st.dictionaries(
        NAMES.filter(str.isidentifier), st.integers(1, 10**6), min_size=1, max_size=4
    ),
    data=st.data(),
)
def test_sizes_are_read_whether_named_or_not(
    separator: str, sizes: dict[str, int], data: st.DataObject
) -> None:
    """Those that are in their places may have a name, too, with hyphens as well."""
    parts = []
    for key, size in sizes.items():
        hyphened = key[0] + key[1:].replace("_", "-")
        name = data.draw(st.sampled_from([key, hyphened, key.upper(), ""]))
        blank = data.draw(st.sampled_from(["", " "]))
        parts.append(f"{name}{blank}={blank}{size}" if name else f"{size}")
    family = a_family(separator, *sizes)
    rest = separator.join(parts)
    assert family.sizes(f"box:{rest}", rest) == sizes
