"""Settings of experiments: of their kinds and in their ranges, or one error before all else."""

from __future__ import annotations

import inspect
from itertools import product
from typing import Any

import numpy as np
import pytest

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.experiments import lab
from gpubfs.experiments.catalogue import find
from gpubfs.experiments.experiment import reproduces

#: What no whole number from 1 on is, and no list of such.
NO_NUMBER = (0, -1, 1.5, "x", True, (5,), None)
NO_NUMBERS = (5, "12", None, (), (0,), (5, -1), ("x",), (1.5,), (True,), (5, 5))
NO_SHARES = (0.5, "x", None, (), (2,), (-1,), (0.5, 2), ("x",), (float("nan"),), (True,), (1, 1))

#: For each experiment its settings, and values that none of them can have.
WRONG: dict[str, dict[str, tuple[Any, ...]]] = {
    "aimgraph-delete": {
        "updates": (*NO_NUMBERS[:2], *NO_NUMBERS[3:], (2**31,)),
        "rounds": NO_NUMBER[:-1],
    },
    "aimgraph-insert": {
        "updates": (*NO_NUMBERS[:2], *NO_NUMBERS[3:], (2**31,)),
        "rounds": NO_NUMBER[:-1],
    },
    "aimgraph-skew": {
        "updates": (*NO_NUMBER[:-1], 2**31),
        "shares": (*NO_SHARES[:2], *NO_SHARES[3:]),
    },
    "best-sweep": {"again": NO_NUMBER},
    "busato-balance": {"sources": (*NO_NUMBER, 10**30)},
    "busato-frontier-loads": {"widths": (*NO_NUMBERS, (3,), (64,))},
    "custinger-overallocation": {
        "updates": (*NO_NUMBER[:-1], 2**31),
        "rounds": (*NO_NUMBER, 1, 10**30),
    },
    "dfq-capacity": {"capacities": (*NO_NUMBERS, (1024,), (1, 8193))},
    "dfq-scaling": {"blocks": (*NO_NUMBERS[:2], *NO_NUMBERS[3:], (1, 65536))},
    "edges-per-thread": {"edges": (*NO_NUMBERS, (4,), (1, 17))},
    "incremental-bfs": {"shares": (*NO_SHARES, (0,), (0.1, 0))},
    "xbfs-balance": {"blocks": (-2, 1.5, "x", True, (5,), None)},
    "xbfs-enqueue": {"sizes": (5, "12", (), (-1,), (31,), ("x",), (8, 8)), "shares": NO_SHARES},
    "xbfs-workload": {"sources": (*NO_NUMBER, 10**30)},
}
CASES = [
    (name, key, value)
    for name, settings in WRONG.items()
    for key, values in settings.items()
    for value in values
]


@pytest.mark.parametrize("name", gpubfs.experiments())
def test_every_setting_is_checked(name: str) -> None:
    if not find(name).measure.__module__.startswith("gpubfs."):
        pytest.skip(f"{name} is somebody's own")
    own = {key for key in inspect.signature(find(name).measure).parameters if key != "lab"}
    assert own == set(find(name).settings) == set(WRONG.get(name, {}))


@pytest.mark.parametrize(("name", "key", "value"), CASES)
def test_a_wrong_setting_is_one_error_before_a_graph_is_built(
    name: str, key: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab, "open_lab", None)
    with pytest.raises(UsageError) as caught:
        gpubfs.experiment(name, **{key: value})
    assert caught.value.message.startswith(key)
    assert caught.value.hint.startswith("give ")
    assert ".py" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "settings", "message", "hint"),
    [
        ("aimgraph-insert", {"rounds": 0}, "rounds=0 is out of range", "a whole number from 1"),
        ("aimgraph-insert", {"updates": 5}, "updates=5 is no list", "a list of whole numbers from"),
        ("aimgraph-insert", {"updates": (5, 0)}, "updates[1]=0 is out of range", "number from 1"),
        ("aimgraph-insert", {"updates": (5, 5)}, "updates has 5 twice", "give it once"),
        ("dfq-capacity", {"capacities": (9,)}, "capacities=(9,) has too few", "at least two"),
        ("incremental-bfs", {"shares": ()}, "shares=() has too few", "above 0 up to 1"),
        ("incremental-bfs", {"shares": (0,)}, "shares[0]=0 is out of range", "above 0 up to 1"),
        ("incremental-bfs", {"shares": ("x",)}, "shares[0]='x' is not a num", "above 0 up to 1"),
        ("aimgraph-skew", {"shares": (-1,)}, "shares[0]=-1 is out of range", "from 0 to 1"),
        ("busato-frontier-loads", {"widths": (3,)}, "widths[0]=3 is not a choice", "one of 1, 2"),
    ],
)
def test_the_error_names_setting_value_and_range(
    name: str, settings: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        gpubfs.experiment(name, **settings)
    assert caught.value.message.startswith(message)
    assert hint in caught.value.hint


@pytest.mark.parametrize("repeats", NO_NUMBER)
@pytest.mark.parametrize("name", ["aimgraph-init", "aimgraph-memory", "faimgraph-overhead"])
def test_repeats_are_checked_for_all(name: str, repeats: Any) -> None:
    with pytest.raises(UsageError, match="repeats="):
        gpubfs.experiment(name, repeats=repeats)


def test_lists_of_any_kind_become_tuples_of_plain_numbers() -> None:
    given = {"updates": np.array([3, 4]), "rounds": np.int64(2)}
    settled = find("aimgraph-insert").settled(given)
    assert settled == {"updates": (3, 4), "rounds": 2}
    assert {type(settled["rounds"]), *map(type, settled["updates"])} == {int}
    assert find("incremental-bfs").settled({"shares": iter([1, np.float64(0.5)])}) == {
        "shares": (1.0, 0.5)
    }


@pytest.mark.parametrize(
    ("name", "key"), [*product(["aimgraph-delete", "aimgraph-insert"], ["updates", "rounds"])]
)
def test_none_is_the_machines_own_where_that_is_the_default(name: str, key: str) -> None:
    assert find(name).settled({key: None}) == {key: None}


def test_the_papers_rounds_and_repetitions_can_be_asked_for() -> None:
    measurement = lab.prepared("aimgraph-insert", graphs=["path:4"], rounds=10, repeats=10)
    assert (measurement.settings["rounds"], measurement.lab.repeats) == (10, 10)


def test_settings_of_others_need_no_check() -> None:
    @reproduces("mine", graphs={})
    def mine(lab: Any, size: object = 3) -> Any:
        """Measure nothing."""

    assert mine.settled({"size": "x"}) == {"size": "x"}
    with pytest.raises(UsageError, match="no setting of mine called"):
        mine.settled({"sizes": 3})


def test_checks_are_functions() -> None:
    with pytest.raises(UsageError, match="the field settings is"):
        reproduces("mine", settings={"size": 3})  # type: ignore[dict-item]
