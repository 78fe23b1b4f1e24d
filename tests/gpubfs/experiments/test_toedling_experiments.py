"""What is said of experiments on searches by classes of vertices, on pages and with loops."""

import pytest

from gpubfs.experiments import classification, faimgraph_overhead, loop_on_device
from gpubfs.experiments.catalogue import find
from gpubfs.experiments.experiment import Point, Report, Verdict

#: What a search of a packed memory array looks at.
GAPS = [
    Point(graph, "gpma", None, {"gaps_traversed": gaps, "looked_at": 30})
    for graph, gaps in (("a", 10), ("b", 30))
]


def controlled(from_host: int, from_device: int) -> dict[str, dict[str, dict[str, int]]]:
    """Reads of the host on one graph, where the loop is its own and where it is the device's."""
    counters = [metric.name for metric in loop_on_device.METRICS["sim"]]
    on_device = (*loop_on_device.ON_DEVICE.values(), "persistent", "hierarchical-kernels")
    reads = dict.fromkeys(loop_on_device.ON_DEVICE, from_host) | dict.fromkeys(
        on_device, from_device
    )
    return {
        name: {counter: {"a": 1} for counter in counters} | {"host_reads": {"a": its}}
        for name, its in reads.items()
    }


@pytest.mark.parametrize(
    ("verdict", "agrees"),
    [
        (classification.twice({"a": 2.5, "b": 1.2}), True),
        (classification.twice({"a": 2.5, "b": 1.2, "c": 1.1}), None),
        (classification.twice({"a": 1.9, "b": 1.2}), False),
        (classification.twice({"a": 2.1, "b": 0.3}), False),
        (classification.spared({"a": 5, "b": 7}, {"a": 5, "b": 7}), True),
        (classification.spared({"a": 5, "b": 6}, {"a": 5, "b": 7}), False),
        (classification.exchanged({"load_sectors": {"a": 0.9}}), None),
        (classification.shallow({"a": 0.8, "b": 9.0}, {"a": 5, "b": 90}, "seconds"), True),
        (classification.shallow({"a": 1.8, "b": 0.9}, {"a": 5, "b": 90}, "seconds"), False),
        (classification.shallow({"a": 0.4, "b": 0.9}, {"a": 5, "b": 90}, "seconds"), None),
        (classification.shallow({"a": 0.9, "b": 0.4}, {"a": 5, "b": 90}, "seconds"), False),
        (classification.shallow({"a": 1.8}, {"a": 5}, "seconds"), None),
        (classification.in_vain(GAPS, {"a": 1.8, "b": 1.2}, "seconds"), True),
        (classification.in_vain(GAPS, {"a": 1.8, "b": 0.9}, "seconds"), None),
        (classification.in_vain(GAPS, {"a": 0.8, "b": 0.9}, "seconds"), False),
        (classification.in_vain(GAPS, {}, "seconds"), None),
        (classification.outperformed(dict.fromkeys("abcde", 1.5) | {"e": 0.9}, "own"), True),
        (classification.outperformed({"a": 3.5, "b": 0.9, "c": 0.8}, "own"), None),
        (classification.outperformed({"a": 1.5, "b": 0.4, "c": 1.1}, "own"), False),
        (classification.outperformed({}, "own"), None),
        (faimgraph_overhead.overhead("pages", {"a": 1.05, "b": 1.12}), True),
        (faimgraph_overhead.overhead("pages", {"a": 1.05, "b": 1.4}), False),
        (faimgraph_overhead.added("pages", {"a": 1.05}, {"a": 0.02}), None),
        (faimgraph_overhead.together({"pages": {"a": 0.5}, "none": {}}), None),
        (faimgraph_overhead.pattern({"pages": {"a": 1.04, "b": 0.9, "c": 3.0}}), True),
        (faimgraph_overhead.pattern({"small": {"a": 1.0}, "large": {"a": 1.2}}), False),
        (loop_on_device.gained({"a": 1.03, "b": 1.9}), True),
        (loop_on_device.gained({"a": 1.03, "b": 2.9}), False),
        (loop_on_device.gained({"a": 0.8, "b": 1.9}), None),
        (loop_on_device.gained({"a": 0.8, "b": 0.7}), False),
        (loop_on_device.lost({"status-array": {"a": 1.2}, "host-loop": {"a": 0.7}}), True),
        (loop_on_device.lost({"status-array": {"a": 1.2}, "host-loop": {"a": 0.5}}), False),
        (loop_on_device.lost({"status-array": {"a": 1.2}, "host-loop": {"a": 1.1}}), False),
        (
            loop_on_device.fastest({"host-loop": {"a": 3.0}, "persistent": {"a": 1.0}}, {"a": 5}),
            None,
        ),
        (loop_on_device.spared(controlled(5, 0), {"a": 5}), True),
        (loop_on_device.spared(controlled(5, 1), {"a": 5}), False),
        (loop_on_device.spared(controlled(1, 0), {"a": 5}), False),
        (loop_on_device.instead(controlled(5, 0), {"a": 5}), None),
    ],
)
def test_verdicts_come_out_either_way(verdict: Verdict, agrees: bool | None) -> None:
    assert verdict.agrees is agrees
    assert verdict.sentence


def test_no_mean_hides_that_graphs_differ() -> None:
    found = {"load_sectors": {"a": 0.99, "b": 1.02}, "warp_steps": {"a": 1.59, "b": 0.31}}
    said = classification.exchanged(found).sentence
    assert "the load_sectors ×0.99 on a and ×1.02 on b" in said
    assert "the warp_steps ×1.59 on a and ×0.31 on b" in said


def test_times_of_loops_make_sentences_tables_and_a_picture() -> None:
    """Naive twice as fast on the device, the others at most slower, persistent the fastest."""
    milliseconds = {
        "status-array": 4,
        "status-array on the device": 2,
        "block-prefix-sum": 2,
        "block-prefix-sum on the device": 2.5,
        "host-loop": 2,
        "device-loop": 1.9,
        "persistent": 0.5,
        "hierarchical-kernels": 1,
    }
    points = tuple(
        Point("path:9", name, None, {"seconds": time / 1e3, "depth": 8})
        for name, time in milliseconds.items()
    )
    done = Report(find("loop-on-device"), "gpu", "some GPU", points)
    assert [verdict.agrees for verdict in done.verdicts] == [True, True, None]
    assert "most in block-prefix-sum on path:9: 25 %" in done.verdicts[1].sentence
    assert "persistent on path:9 (9 levels, ×4.00 as fast" in done.verdicts[2].sentence
    assert done.plot().axes[0].get_xlabel() == "speedup over host-loop"
    assert [cell.split()[-1] for cell in done.sheets[0].rows[1][1:4]] == ["×0.50", "×1.00", "×1.00"]
