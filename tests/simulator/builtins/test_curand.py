"""cuRAND's functions for kernels: numbers as its header makes them, and the laws of skipping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator.lanes import generators
from tests.simulator.launching import run, source

HEADER = "#include <curand_kernel.h>\n"
XORWOW, PHILOX = "curandStateXORWOW_t", "curandStatePhilox4_32_10_t"
Counts = st.one_of(st.integers(0, 40), st.integers(0, 2**64 - 1))

#: Seed, subsequence and offset, and the numbers that NVIDIA's header, compiled for a CPU, gives:
#: six of `curand`, the first `curand_uniform`, then one of `curand_uniform_double`.
KNOWN: dict[str, list[tuple[tuple[int, int, int], list[int], float, float]]] = {
    XORWOW: [
        (
            (0, 0, 0),
            [3179217846, 1883133293, 2220552389, 674260989, 306521119, 1986458431],
            0.740219355,
            0.51701279099749597,
        ),
        (
            (1234, 7, 0),
            [3362343509, 529899072, 4269021849, 324612358, 2988894868, 2223688508],
            0.782856584,
            0.99395909292520201,
        ),
        (
            (1234, 100000, 13),
            [673398225, 4100427587, 3259231328, 1874075818, 1592773434, 4044641586],
            0.156787738,
            0.75884889141568879,
        ),
        (
            (0xDEADBEEFCAFEBABE, 2**33, 2**40 + 5),
            [2019998428, 2144289986, 3213589874, 1477106937, 1799541709, 3122719897],
            0.470317543,
            0.74822226457231289,
        ),
        (
            (42, 2**64 - 1, 2**64 - 1),
            [3219760634, 3696890910, 3886673264, 3715285876, 4097390062, 1248584326],
            0.749658942,
            0.90493652662610535,
        ),
    ],
    PHILOX: [
        (
            (0, 0, 0),
            [1713891541, 3781805453, 3159862348, 2600524760, 4175744164, 1555169499],
            0.399046481,
            0.88052019802853465,
        ),
        (
            (1234, 7, 0),
            [1457915124, 554151165, 3920373971, 502001991, 843890362, 2897886456],
            0.33944732,
            0.12902337266132236,
        ),
        (
            (1234, 100000, 13),
            [204643210, 3510618297, 4034113801, 1061803589, 550294965, 2704437959],
            0.0476472117,
            0.8173795179463923,
        ),
        (
            (0xDEADBEEFCAFEBABE, 2**33, 2**40 + 5),
            [2959393100, 2448474142, 2671999126, 2815944795, 2374909566, 1762730494],
            0.689037383,
            0.57007981068454683,
        ),
        (
            (42, 2**64 - 1, 2**64 - 1),
            [1600731561, 1168400816, 179870813, 1859481851, 3909526705, 4258287216],
            0.37269935,
            0.27203951426781714,
        ),
    ],
}
#: What follows these two of the same start, in the order of `DISTRIBUTIONS`, then `curand`.
FOLLOWING = {
    (XORWOW, (1234, 7, 0)): (
        *(0.82621913770703159, 0.20601574730457969, 0.58205030863903917, -1.3488468119073935),
        *(-1.52082098, 1.42237437, 0.113224939, 1.68057168, 3754343637),
    ),
    (PHILOX, (1234, 7, 0)): (
        *(-1.8444890486722376, -0.94395209599591146, 1.995451822945671, 1.1694746597320314),
        *(0.457509607, -0.378140092, 1.09862328, 1.99235201, 1042228713),
    ),
}
DISTRIBUTIONS = """
  out[2] = curand_normal_double(&s); out[3] = curand_normal_double(&s);
  double2 pair = curand_normal2_double(&s); out[4] = pair.x; out[5] = pair.y;
  out[6] = curand_normal(&s); out[7] = curand_normal(&s);
  out[8] = curand_log_normal(&s, 1, 2); out[9] = curand_log_normal(&s, 1, 2);
  skipahead(3, &s); skipahead_sequence(5, &s); out[10] = curand(&s);"""
SEEDED = "curand_init(seed, subsequence, offset, &s);"
START = "unsigned long long seed, unsigned long long subsequence, unsigned long long offset"


def started(state: str, start: tuple[int, int, int], body: str, out: Any) -> Any:
    """What a kernel leaves in an array that has a state `s` of this start."""
    ctype = {"u4": "unsigned", "f4": "float", "f8": "double"}[out.dtype.str[1:]]
    text = source(f"{START}, {ctype} *out", f"{state} s; {SEEDED}{body}", HEADER)
    return run(text, *map(np.uint64, start), out, block=1).arrays[-1]


@pytest.mark.parametrize("state", KNOWN)
def test_numbers_are_those_of_cudas_header(state: str) -> None:
    for start, numbers, uniform, double in KNOWN[state]:
        body = "for (int i = 0; i < 6; i++) out[i] = curand(&s);"
        assert started(state, start, body, np.zeros(6, "u4")).tolist() == numbers
        body = "out[0] = curand_uniform(&s); out[1] = curand_uniform_double(&s);"
        found = started(state, start, body, np.zeros(2, "f8"))
        assert found.tolist() == [np.float32(uniform), double]


@pytest.mark.parametrize(("state", "start"), FOLLOWING)
def test_distributions_are_those_of_cudas_header(state: str, start: tuple[int, int, int]) -> None:
    body = f"curand_uniform(&s); curand_uniform_double(&s);{DISTRIBUTIONS}"
    found = started(state, start, body, np.zeros(11, "f8"))[2:]
    np.testing.assert_allclose(found[:4], FOLLOWING[state, start][:4], rtol=1e-13)
    np.testing.assert_allclose(found[4:], FOLLOWING[state, start][4:], rtol=2e-6)
    assert found[8] == FOLLOWING[state, start][8]


def test_four_numbers_at_a_time() -> None:
    body = """uint4 n = curand4(&s); out[0] = n.x; out[1] = n.y; out[2] = n.z; out[3] = n.w;
      float4 u = curand_uniform4(&s); out[4] = u.x; out[5] = u.y; out[6] = u.z; out[7] = u.w;"""
    found = started(PHILOX, (1, 2, 3), body, np.zeros(8, "f8")).tolist()
    assert found[:4] == [168492509, 3082076531, 3674517586, 1146363793]
    uniforms = [0.0548589788, 0.577869296, 0.353598088, 0.629596949]
    assert found[4:] == list(map(np.float32, uniforms))


@pytest.mark.parametrize("taken", range(4))
def test_four_numbers_are_the_next_four(taken: int) -> None:
    one = "for (int i = 0; i < 9; i++) out[i] = curand(&s);"
    four = f"""int i = 0; while (i < {taken}) out[i++] = curand(&s);
      uint4 n = curand4(&s); out[i] = n.x; out[i + 1] = n.y; out[i + 2] = n.z; out[i + 3] = n.w;
      for (i += 4; i < 9; i++) out[i] = curand(&s);"""
    found = [started(PHILOX, (5, 6, 7), body, np.zeros(9, "u4")).tolist() for body in (one, four)]
    assert found[0] == found[1]


# The laws of skipping, of the functions by themselves.


def words(*values: int) -> list[Any]:
    return [np.array([value], np.uint64) for value in values]


def plain(state: Any) -> list[int]:
    return [int(part[0]) for part in state]


@given(Counts, Counts, st.integers(0, 60))
@settings(max_examples=25, deadline=None)
def test_an_offset_is_that_many_numbers(seed: int, subsequence: int, offset: int) -> None:
    state = generators.xorwow_seeded(*words(seed, subsequence, 0))
    for _ in range(offset):
        _, *state = generators.xorwow_step(*state)
    assert plain(state) == plain(generators.xorwow_seeded(*words(seed, subsequence, offset)))


@given(Counts, Counts, Counts)
@settings(max_examples=25, deadline=None)
def test_skips_add_up(seed: int, first: int, second: int) -> None:
    state = generators.xorwow_seeded(*words(seed, 0, 0))
    for skip in (generators.xorwow_ahead, generators.xorwow_subsequences):
        both = skip(*words(second), *skip(*words(first), *state))
        if first + second < 2**64:
            assert plain(both) == plain(skip(*words(first + second), *state))
        other = skip(*words(first), *skip(*words(second), *state))
        assert plain(both) == plain(other)


def test_a_subsequence_has_two_to_the_67_numbers() -> None:
    state = generators.xorwow_seeded(*words(99, 0, 0))
    moved = state
    for _ in range(16):
        moved = generators.xorwow_ahead(*words(2**63), *moved)
    assert plain(moved) == plain(generators.xorwow_subsequences(*words(1), *state))


@given(st.lists(st.tuples(st.integers(0, 2), Counts, Counts), min_size=1, max_size=12))
@settings(max_examples=25, deadline=None)
def test_lanes_are_seeded_each_by_itself(starts: list[tuple[int, int, int]]) -> None:
    columns = [np.array(column, np.uint64) for column in zip(*starts, strict=True)]
    for seeded in (generators.xorwow_seeded, generators.philox_seeded):
        together = np.stack(seeded(*columns), axis=-1).tolist()
        alone = [plain(seeded(*words(*start))) for start in starts]
        assert together == alone


# In kernels.

DRAWS = """extern "C" __global__ void begin(STATE *states, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &states[i]);
}
extern "C" __global__ void draw(STATE *states, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  STATE mine = states[i];
  for (int k = 0; k < i % n; k++) curand(&mine);
  out[i] = curand(&mine);
  states[i] = mine;
}"""


@pytest.mark.parametrize("state", KNOWN)
def test_states_stay_in_memory_from_launch_to_launch(state: str) -> None:
    text = HEADER + DRAWS.replace("STATE", state)
    module = simulator.RawModule(code=text)
    size = {XORWOW: 48, PHILOX: 64}[state]
    states, out = simulator.empty(64 * size, "uint8"), simulator.zeros(64, "uint32")
    with simulator.sanitize("all"):
        module.get_function("begin")((2,), (32,), (states, np.uint64(5)))
        module.get_function("draw")((2,), (32,), (states, out, 7))
        before = out.get()
        module.get_function("draw")((2,), (32,), (states, out, 7))
    for thread in (0, 5, 6, 38):
        body = f"for (int k = 0; k < {2 * (thread % 7 + 1)}; k++) out[k] = curand(&s);"
        wanted = started(state, (5, thread, 0), body, np.zeros(14, "u4"))
        assert before[thread] == wanted[thread % 7]
        assert out.get()[thread] == wanted[2 * (thread % 7) + 1]


def test_accesses_to_a_state_in_memory_are_counted() -> None:
    body = "curandState *s = states + threadIdx.x; curand_init(1, 2, 3, s); out[0] = curand(s);"
    text = source("curandState *states, unsigned *out", body, HEADER)
    ran = run(text, np.zeros(32 * 48, "u1"), np.zeros(1, "u4"))
    assert ran.counters.load_requests == 6
    assert ran.counters.store_requests == 10 + 6 + 1


@pytest.mark.parametrize(
    ("body", "what", "said"),
    [
        ("out[threadIdx.x] = curand_uniform(states);", "race", "race"),
        ("curandState s; out[threadIdx.x] = curand_uniform(&s);", "init", "nothing has written"),
    ],
)
def test_sanitizers_see_states(body: str, what: str, said: str) -> None:
    text = source("curandState *states, float *out", body, HEADER)
    states, out = simulator.zeros(48, "uint8"), simulator.zeros(32, "float32")
    with simulator.sanitize(what), pytest.raises(simulator.Fault) as caught:
        simulator.RawKernel(text, "k")((1,), (32,), (states, out))
    assert said in str(caught.value)
    assert "curand_uniform(" in str(caught.value)


@pytest.mark.parametrize("state", KNOWN)
def test_distributions_have_their_moments(state: str) -> None:
    body = f"""{state} s; curand_init(2024, threadIdx.x, 0, &s);
      for (int i = 0; i < 40; i++) {{ int at = 40 * threadIdx.x + i;
        u[at] = curand_uniform(&s); z[at] = curand_normal(&s);
        d[at] = curand_normal_double(&s); l[at] = curand_log_normal_double(&s, 0.5, 0.25); }}"""
    parameters = "float *u, float *z, double *d, double *l"
    arrays = [np.zeros(20480, t) for t in ("f4", "f4", "f8", "f8")]
    u, z, d, logs = run(source(parameters, body, HEADER), *arrays, block=512).arrays
    assert 0 < u.min() < 0.001
    assert 0.999 < u.max() <= 1
    assert abs(u.mean() - 0.5) < 0.01
    for normals, mean, deviation in ((z, 0, 1), (d, 0, 1), (np.log(logs), 0.5, 0.25)):
        assert abs(normals.mean() - mean) < 0.03
        assert abs(normals.std() - deviation) < 0.03


REFUSED = {
    "curand_poisson(&s, 2.0)": "`curand_poisson` is not supported",
    "curand_normal4_double(&s)": "`curand_normal4_double` is not supported",
    "curand4(&s)": "`curand4` takes `curandStatePhilox4_32_10 *` here, not `curandStateXORWOW *`",
    "curand(s)": "`curand` takes `curandStateXORWOW *` here, not `curandStateXORWOW`",
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_there_is_not_is_refused_by_name(call: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(source("int *a", f"curandState s; {call};", HEADER))
    assert caught.value.message == REFUSED[call]
