"""Pictures of runs: they show the run's own numbers, with labelled axes."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.search.result import Run
from tests.gpubfs.render.readable import faults

NAMES = ("plot_work", "plot_levels", "plot_contention", "plot_lines")


@pytest.fixture(scope="module")
def run() -> Run:
    return gpubfs.run("scan-free", "er:8")


def heights(axes: Any) -> dict[str, float]:
    """The sum of the bars of each series."""
    return {c.get_label(): sum(bar.get_height() for bar in c) for c in axes.containers}


@pytest.mark.parametrize("name", NAMES)
def test_axes_are_labelled_and_the_title_says_what_was_run(name: str, run: Run) -> None:
    figure = getattr(run, name)()
    assert "scan-free on er:8" in figure.get_suptitle()
    assert figure.axes
    for axes in figure.axes:
        assert axes.get_xlabel()
        assert axes.get_ylabel()
    assert faults(figure) == []
    written = io.BytesIO()
    figure.savefig(written, format="png")
    assert written.getvalue()


def test_work_is_that_of_all_threads(run: Run) -> None:
    figure = run.plot_work()
    threads, warps, blocks = (sum(bar.get_height() for bar in a.patches) for a in figure.axes)
    sizes = [launch.grid[0] * launch.block[0] for launch in run.per_launch]
    assert (threads, warps) == (sum(sizes), sum(sizes) / 32)
    assert blocks == sum(launch.grid[0] for launch in run.per_launch)
    assert f"the most {run.counters['work']['maximum']:,}" in figure.axes[0].get_title("left")


def test_levels_show_the_frontier_and_all_sectors(run: Run) -> None:
    frontier, cost = run.plot_levels().axes
    assert sum(bar.get_height() for bar in frontier.patches) == run.reached
    sectors = {f"{kind}s": run.counters[f"{kind}_sectors"] for kind in ("load", "store", "atomic")}
    assert heights(cost) == sectors


def test_levels_without_counters_show_time_where_it_is_known(run: Run) -> None:
    timed = tuple(replace(launch, counters=None, seconds=1e-6) for launch in run.per_launch)
    frontier, cost = replace(run, per_launch=timed).plot_levels().axes
    assert sum(bar.get_height() for bar in frontier.patches) == run.reached
    assert sum(bar.get_height() for bar in cost.patches) == pytest.approx(len(timed))
    assert " ".join(cost.get_ylabel().split()) == "simulator's own time, microseconds"
    _, cost = gpubfs.run("scan-free", "toy", counters=False).plot_levels().axes
    assert [text.get_text() for text in cost.texts] == ["not known"]


def test_contention_shows_every_atomic(run: Run) -> None:
    (axes,) = run.plot_contention().axes
    found = heights(axes)
    assert found["all"] == run.counters["atomic_lanes"]
    assert found["failed swaps"] == run.counters["cas_failed"]
    assert found["busiest address"] >= run.counters["hottest_ops"]
    assert axes.get_title("left") == "busiest: next_size[0]"


def test_lines_are_the_dearest_and_all_their_sectors(run: Run) -> None:
    (axes,) = run.plot_lines().axes
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names[0].startswith("scan_free.cu:")
    assert any("neighbours[e]" in name for name in names)
    moved = sum(run.counters[f"{kind}_sectors"] for kind in ("load", "store", "atomic"))
    assert sum(bar.get_width() for bar in axes.patches) == moved
    widths = [sum(bars[place].get_width() for bars in axes.containers) for place in range(4)]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("name", ["plot_work", "plot_contention", "plot_lines"])
def test_without_counters_there_is_nothing_to_draw(name: str) -> None:
    with pytest.raises(UsageError, match="there is nothing to draw"):
        getattr(gpubfs.run("scan-free", "toy", counters=False), name)()


def test_a_search_without_atomics_or_edges_has_its_pictures() -> None:
    for name in NAMES:
        assert getattr(gpubfs.run("status-array", "path:1"), name)().axes


def test_a_comparison_shows_ratios_to_the_first() -> None:
    both = gpubfs.compare(["status-array", "scan-free"], "er:8")
    (axes,) = both.plot(["load_sectors", "store_requests"]).axes
    first, second = axes.containers
    assert [bar.get_width() for bar in first] == [0, 0]
    shares = [both.ratios(name)[1] for name in ("load_sectors", "store_requests")]
    assert [1 + bar.get_width() for bar in second] == pytest.approx(shares)
    assert [second.get_label(), axes.get_ylabel()] == ["scan-free", "counter"]
    assert faults(axes.figure) == []


def test_what_a_comparison_cannot_show_is_said() -> None:
    both = gpubfs.compare(["status-array", "scan-free"], "toy")
    with pytest.raises(UsageError, match="load_sectors"):
        both.plot(["load_sector"])
    with pytest.raises(UsageError, match="has none of these"):
        both.plot(["atomic_requests"])
    assert "store_sectors" in [t.get_text() for t in both.plot().axes[0].get_yticklabels()]
