"""What a driver says of levels: in the run, its JSON, the table of levels, and traces."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import gpubfs
from gpubfs.host import DeviceArray, DeviceGraph, Facts, Host, SearchResult
from gpubfs.machines.sim import WallClock
from gpubfs.search.description import technique
from gpubfs.search.loops import Iteration, level_loop, queue_loop
from gpubfs.search.technique import Technique
from gpubfs.show.tables import level_sheet
from gpubfs.show.traces.recording import trace

PLAIN_COLUMNS = ["level", "frontier", "launches", "seconds"]


@pytest.fixture
def telling() -> Technique:
    """scan-free, which says something of every other level."""

    @technique("telling", kernel="scan_free.cu")
    def drive(host: Host, graph: DeviceGraph, source: int) -> SearchResult:
        def expand(to: Iteration) -> None:
            if to.depth % 2:
                facts = {"way": "odd", "share": to.size / 8, "unknown": None}
                host.level(to.depth - 1, to.size, facts)
            args = (graph.offsets, graph.neighbours, to.level, to.frontier, to.size)
            host.launch("scan_free", 1, 32, (*args, to.next, to.next_size, to.depth))

        return level_loop(host, graph, source, expand)

    return drive


def test_they_are_in_the_run_and_its_json(telling: Technique) -> None:
    done = gpubfs.run(telling, "path:4", 0)
    known = {"way": "odd", "share": 1 / 8, "unknown": None}
    assert done.facts == {0: known, 2: known}
    data = json.loads(json.dumps(done.as_dict()))
    assert data["facts"] == [{"level": 0, **known}, {"level": 2, **known}]


def test_they_are_columns_of_the_levels(telling: Technique) -> None:
    sheet = level_sheet(gpubfs.run(telling, "path:4", 0))
    titles = [column.title for column in sheet.columns]
    assert titles[:7] == [*PLAIN_COLUMNS, "way", "share", "unknown"]
    assert [row[4:7] for row in sheet.rows] == [("odd", "0.12", ""), ("", "", "")] * 2


def test_they_are_in_traces(telling: Technique) -> None:
    recorded = trace(telling, "path:4", 0, device="toy2")
    assert recorded.as_dict()["facts"][1]["level"] == 2
    first, second = (recorded.levels.index(level) for level in (0, 1))
    assert "· way odd · share 0.12" in recorded.frame(first, 200)[0].plain
    assert "way" not in recorded.frame(second, 200)[0].plain


def telling_later(facts: Callable[[Host, DeviceArray], Facts]) -> Technique:
    """scan-free, which says something of its levels when the search is over."""

    @technique("telling-later", kernel="scan_free.cu")
    def drive(host: Host, graph: DeviceGraph, source: int) -> SearchResult:
        done = queue_loop(host, graph, source, "scan_free", 32)
        host.tell_levels(lambda: facts(host, done.levels))
        return done

    return drive


def test_what_is_read_only_to_be_told_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    stop = WallClock.stop

    def watched(clock: WallClock) -> None:
        order.append("stop")
        stop(clock)

    def facts(host: Host, levels: DeviceArray) -> Facts:
        order.append("facts")
        return {3: {"last": host.read_int(levels[3:])}}

    monkeypatch.setattr(WallClock, "stop", watched)
    done = gpubfs.run(telling_later(facts), "path:4", 0, counters=False)
    # The clock of what comes before the first launch, that of the search, and only then the facts.
    assert order == ["stop", "stop", "facts"]
    assert done.facts == {3: {"last": 3}}


def test_a_driver_that_cannot_tell_is_named() -> None:
    def facts(host: Host, levels: DeviceArray) -> Facts:
        raise KeyError("no such level")

    with pytest.raises(gpubfs.UsageError, match=r"KeyError.*in the technique telling-later"):
        gpubfs.run(telling_later(facts), "path:4", 0)


def test_techniques_that_say_nothing_show_nothing() -> None:
    done = gpubfs.run("scan-free", "toy")
    assert not done.facts
    assert "facts" not in done.as_dict()
    counters = [column.title for column in level_sheet(done).columns]
    assert counters[:4] == PLAIN_COLUMNS
    assert "facts" not in trace("scan-free", "toy", device="toy2").as_dict()
