"""What counters, sanitizers, traces and the counting build see of matrices."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.instrument import InstrumentedModule, instrumented
from simulator.ir.matrices import COLUMN_MAJOR, ROW_MAJOR, Shape
from simulator.observe.counters.sites import merge_sites
from simulator.observe.trace import Cursor, accesses
from tests.simulator.launching import run
from tests.simulator.matrices.programs import PRODUCTS, dtype, kernel, product

TYPES = """
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> FA;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> FB;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> FC;
"""
BODY = """__shared__ __align__(32) half s[16 * 16];
  for (int i = threadIdx.x; i < 256; i += 32) s[i] = b[i / 16 * ldm + i % 16];
  __syncwarp();
  FA fa; FB fb, other; FC fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, ldm);
  wmma::load_matrix_sync(fb, b, ldm);
  wmma::load_matrix_sync(other, s, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::mma_sync(fc, fa, other, fc);
  wmma::store_matrix_sync(c, fc, ldm, wmma::mem_row_major);"""
TEXT = kernel("const half *a, const half *b, float *c, int ldm", BODY, TYPES)


def given(ldm: int) -> list[Any]:
    random = np.random.default_rng(3)
    a, b = (random.normal(size=(16, ldm)).astype("f2") for _ in range(2))
    return [a, b, np.zeros((16, ldm), "f4")]


@pytest.mark.parametrize(("ldm", "loads", "stores"), [(16, 32, 32), (64, 32, 32), (24, 32, 32)])
def test_requests_and_sectors(ldm: int, loads: int, stores: int) -> None:
    ran = run(TEXT, *given(ldm), ldm)
    every = merge_sites(ran.launch.sites)
    sites = {site.text: site for site in every if "matrix" in site.text}
    a, b, s, c = (sites[text] for text in sorted(sites))
    assert [(x.kind, x.requests, x.lanes) for x in (a, b)] == [("load", 4, 128)] * 2
    # Four times 8 pieces of 16 bytes, each in a sector of its own.
    assert (a.sectors, b.sectors) == (loads, loads)
    assert (s.kind, s.requests, s.lanes) == ("shared_load", 1, 32)
    assert (c.kind, c.requests, c.sectors) == ("store", 4, stores)
    assert ran.counters.matrix_products == 2
    products = [site.text for site in every if site.kind == "product"]
    assert products == ["wmma::mma_sync(fc, fa, fb, fc)", "wmma::mma_sync(fc, fa, other, fc)"]


@pytest.mark.parametrize(("ldm", "conflicts"), [(8, 0), (16, 4), (24, 0), (64, 28), (72, 0)])
def test_banks_serve_a_line_of_each_lane(ldm: int, conflicts: int) -> None:
    """Eight lines of 16 bytes are a pass where they lie in different banks."""
    body = f"""__shared__ __align__(32) half s[16 * 80];
  for (int i = threadIdx.x; i < 16 * 80; i += 32) s[i] = 1;
  __syncwarp();
  FA fa;
  wmma::load_matrix_sync(fa, s, {ldm});
  a[threadIdx.x] = fa.x[0];"""
    site = run(kernel("half *a", body, TYPES), np.zeros(32, "f2")).site("shared_load")
    assert (site.requests, site.bank_conflicts) == (1, conflicts)


def test_the_counting_build_counts_the_same() -> None:
    made = instrumented(TEXT)
    with simulator.Device():
        arrays = [simulator.asarray(x) for x in given(64)]
        module = InstrumentedModule(simulator, simulator.RawModule(code=made.text), made)
        module.get_function("k")((1,), (32,), (*arrays, np.int32(64)))
    plain = run(TEXT, *given(64), 64)
    np.testing.assert_array_equal(arrays[2].get(), plain.arrays[2])
    (launch,) = module.launches
    for name in (
        "load_requests",
        "load_sectors",
        "load_bytes",
        "store_requests",
        "store_sectors",
        "shared_requests",
        "bank_conflicts",
        "work",
    ):
        assert getattr(launch.counters, name) == getattr(plain.counters, name), name


@pytest.mark.parametrize("schedule", ["warp", "shuffled:1", "random:2", "round-robin:3"])
def test_every_schedule_gives_the_same(schedule: str) -> None:
    expected = run(TEXT, *given(32), 32).arrays[2]
    found = run(TEXT, *given(32), 32, schedule=schedule).arrays[2]
    np.testing.assert_array_equal(found, expected)


def watched(
    body: str, *checks: str, block: int = 32, parameters: str = "half *a, float *c"
) -> None:
    with simulator.Device(), simulator.sanitize(*checks):
        a, c = simulator.ones((32, 32), "float16"), simulator.empty((32, 32), "float32")
        text = kernel(parameters, f"FA fa; FB fb; FC fc;\n{body}", TYPES)
        simulator.RawKernel(text, "k")((1,), (block,), (a, c))


FILLED = "wmma::fill_fragment(fc, 1.0f); wmma::store_matrix_sync(c, fc, 32, wmma::mem_row_major);"


@pytest.mark.parametrize(
    ("body", "block", "text"),
    [
        (FILLED, 64, "store_matrix_sync"),
        (f"{FILLED} c[threadIdx.x] += 1;", 32, "store_matrix_sync"),
        ("if (threadIdx.x < 32) a[0] = 1; wmma::load_matrix_sync(fa, a, 32);", 32, "load_matrix"),
    ],
)
def test_races_are_found(body: str, block: int, text: str) -> None:
    if block == 64:  # what they store differs
        body = body.replace("1.0f", "(float)(threadIdx.x / 32)")
    with pytest.raises(simulator.Fault, match="race") as caught:
        watched(body, "race", block=block)
    assert text in str(caught.value)


def test_a_wait_of_the_warp_orders_what_matrices_store() -> None:
    watched(f"{FILLED} __syncwarp(); c[threadIdx.x] += 1;", "race")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (
            "wmma::fill_fragment(fa, 1); wmma::fill_fragment(fb, 1);"
            "wmma::mma_sync(fc, fa, fb, fc);",
            "fc",
        ),
        ("wmma::store_matrix_sync(c, fc, 32, wmma::mem_row_major);", "fc"),
        ("wmma::load_matrix_sync(fc, c, 32, wmma::mem_row_major);", "c"),
        ("__shared__ __align__(32) half s[256]; wmma::load_matrix_sync(fa, s, 16);", "s"),
    ],
)
def test_reads_of_nothing_are_found(body: str, what: str) -> None:
    with pytest.raises(simulator.Fault, match="nothing") as caught:
        watched(body, "init")
    assert f"{what}" in str(caught.value)


def test_what_is_stored_counts_as_written() -> None:
    again = "wmma::load_matrix_sync(fc, c, 32, wmma::mem_row_major); a[0] = fc.x[0];"
    watched(f"{FILLED} __syncwarp(); {again}", "init")


def test_traces_show_what_moves() -> None:
    with simulator.Device(), simulator.tracing() as trace:
        arrays = [simulator.asarray(x) for x in given(16)]
        simulator.RawKernel(TEXT, "k")((1,), (32,), (*arrays, 16))
    (launch,) = trace.launches
    (number,) = (n for n, s in enumerate(launch.steps) if "store_matrix" in s.span.text)
    seen = list(accesses(launch, launch.steps[number], warp=0))
    assert [(x.site.kind, x.sectors) for x in seen] == [("store", 8)] * 4
    values, _ = Cursor(launch).at(number).values("c")
    np.testing.assert_array_equal(np.reshape(values, (16, 16)), arrays[2].get())


@pytest.mark.parametrize(("number", "shape", "total"), PRODUCTS)
def test_every_product_can_be_watched(number: str, shape: Shape, total: str) -> None:
    text = product(number, shape, total, (ROW_MAJOR, COLUMN_MAJOR, ROW_MAJOR))
    kinds = dtype(number), dtype(number), dtype(total), dtype(total)
    results = []
    for watching in (None, simulator.sanitize("all"), simulator.tracing()):
        with simulator.Device(), watching or nullcontext():
            arrays = [simulator.ones((32, 32), kind) for kind in kinds]
            simulator.RawKernel(text, "k")((1,), (32,), tuple(arrays))
            results.append(arrays[3].get())
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
