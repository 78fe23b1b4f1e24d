"""Where a structure is, is worked out once, however it is used: side effects in it happen once."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.sampling import sampled
from tests.simulator.launching import run, source

FUNCTIONS = """
struct In { int x, y, z; };
struct Mid { int pad; In inner, many[2]; };
struct Out { Mid deep; In inner, many[2]; };
__device__ int read(In v) { return v.x; }
__device__ int peek(const In &v) { return v.x; }
__device__ int touch(In &v) { v.x += 5; return v.x - 5; }
__device__ int again(In &v, int n) { if (n) return again(v, n - 1); v.x += 5; return v.x - 5; }
__device__ In same(const In &v) { return v; }
"""

#: Structures of element `i` of an array.
PLACES = [
    "t[{}]",
    "*(t + {})",
    "s[{}].inner",
    "s[{}].many[1]",
    "(s + {})->inner",
    "s[{}].deep.inner",
    "s[{}].deep.many[1]",
]

#: What sets `got` to member `x` of a structure, and by how much it changes that member, which is A.
USES = {
    "In v = {0}; got = v.x;": 0,
    "In v; v = {0}; got = v.x;": 0,
    "got = read({0});": 0,
    "got = peek({0});": 0,
    "got = touch({0});": 5,
    "got = again({0}, 2);": 5,
    "In &r = {0}; got = r.x; r.x += 5;": 5,
    "In *p = &({0}); got = p->x; p->x += 5;": 5,
    "got = ({0}).x;": 0,
    "got = ({0}).x++;": 1,
    "got = (({0}).x += 5) - 5;": 5,
    "In v = {{A + 5, 0, 0}}; {0} = v; got = A;": 5,
    "In v = one ? {0} : In{{1, 2, 3}}; got = v.x;": 0,
    "In v = (one, {0}); got = v.x;": 0,
    "got = same({0}).x;": 0,
}

#: Where the arrays `s` and `t` are.
SPACES = {
    "global": ("Out *s, In *t, ", ""),
    "shared": ("", "__shared__ Out s[2]; __shared__ In t[2];"),
    "local": ("", "Out s[2]; In t[2];"),
}


def body(use: str, declared: str, index: str) -> str:
    """One use of every place: what was found, how often, and what the first two elements hold."""
    lines = [declared, "int at = 0, one = threadIdx.x == 0, got;"]
    for number, place in enumerate(PLACES):
        first, second = (place.format(k) for k in (0, 1))
        given = 100 * (number + 1)
        used = use.replace("A", str(given)).format(place.format(index))
        lines.append(f"{{ ({first}).x = {given}; ({second}).x = {given + 50}; i[0] = 0; {used}")
        lines += [f"out[at++] = {text};" for text in ("i[0]", "got", f"({first}).x")]
        lines.append(f"out[at++] = ({second}).x; }}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("use", "index", "space"),
    sampled(product(USES, ["i[0]++", "atomicAdd(i, 1)"], SPACES), 6, each=0),
)
def test_a_structures_lvalue_is_evaluated_once(use: str, space: str, index: str) -> None:
    parameters, declared = SPACES[space]
    arrays = [np.zeros(400, "u1"), np.zeros(100, "u1")] if parameters else []
    text = source(f"{parameters}int *i, int *out", body(use, declared, index), FUNCTIONS)
    out = run(text, *arrays, np.zeros(1, "i4"), np.zeros(4 * len(PLACES), "i4"), block=1).arrays[-1]
    given = [100 * (number + 1) for number in range(len(PLACES))]
    expected = [[1, a, a + USES[use], a + 50] for a in given]
    assert out.reshape(-1, 4).tolist() == expected


def test_what_leads_to_an_inner_structure_is_loaded_once() -> None:
    text = source(
        "Out *s, int *index, int *out", "In v = s[index[0]].inner; out[0] = v.x;", FUNCTIONS
    )
    arrays = np.zeros(200, "u1"), np.zeros(1, "i4"), np.zeros(1, "i4")
    assert run(text, *arrays, block=1).counters.load_requests == 4
