"""A counter from outside is one file; what shows, compares and limits counters then has it."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import gpubfs
import simulator
from gpubfs.cli.main import group, main
from gpubfs.grading.limits.costs import Cost, exceeded_limit
from gpubfs.grading.names import problem_counters, search_counters
from gpubfs.search import counters as of_runs
from gpubfs.search.counters import described
from gpubfs.show.tables import level_sheet
from simulator.observe.counters import COUNTERS, Counter, LaunchCounter, add, remove, shown

FILE = Path(__file__).parent / "counter.py"
NAMES = ("single_lane_accesses", "single_lane_share", "diverging_sites")
ABOUT = ("requests", "something")


@pytest.fixture
def clean() -> Iterator[None]:
    """Forget what a test adds."""
    before = dict(described())
    yield
    COUNTERS.clear()
    COUNTERS.update(before)


@pytest.fixture
def added(clean: None) -> None:
    read()


def read() -> None:
    """Read the file, as an import does."""
    spec = importlib.util.spec_from_file_location("counter", FILE)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def output(*arguments: str) -> str:
    done = CliRunner().invoke(group, list(arguments))
    assert done.exit_code == 0, done.output
    return done.output


def odd_lanes() -> simulator.Counters:
    """Two loads and a store by lanes 0 of two warps, and a store by 64 lanes; one branch of two."""
    kernel = simulator.RawKernel(
        """extern "C" __global__ void f(int *a) {
  if (threadIdx.x % 32 == 0) a[threadIdx.x] += a[1];
  a[threadIdx.x] = 1;
}""",
        "f",
    )
    with simulator.Device("h200"), simulator.counting() as record:
        kernel((1,), (64,), (simulator.zeros(64, "int32"),))
    return record.launches[0].counters


def test_an_observer_a_formula_and_a_function_of_sites_count(added: None) -> None:
    counters = odd_lanes()
    assert counters["single_lane_accesses"] == 6
    assert counters["single_lane_share"] == 6 / 8
    assert counters["diverging_sites"] == 1
    assert list(counters.as_dict())[-3:] == list(NAMES)


def test_a_file_may_be_read_twice(added: None) -> None:
    before = [row.name for row in shown()]
    read()
    assert [row.name for row in shown()] == before
    assert odd_lanes()["single_lane_accesses"] == 6


def test_launches_together_have_the_share_of_sums_and_the_most_of_all(added: None) -> None:
    one = odd_lanes()
    both = one + one + simulator.Counters(store_requests=4)
    assert both["single_lane_accesses"] == 12
    assert both["single_lane_share"] == 12 / 20
    assert both["diverging_sites"] == 1


def test_tables_json_and_comparisons_have_it(added: None) -> None:
    data = json.loads(output("run", "scan-free", "--graph", "toy", "--json"))
    assert set(NAMES) <= data["counters"].keys()
    assert set(NAMES) <= data["per_launch"][0]["counters"].keys()
    text = output("run", "scan-free", "--graph", "toy")
    assert text.index("diverging_sites") < text.index("branches ")
    text = output("compare", "status-array", "scan-free", "--graph", "toy")
    share = data["counters"]["single_lane_share"]
    assert f"{100 * share:.1f} %" in next(r for r in text.splitlines() if NAMES[1] in r)
    made = gpubfs.compare(["status-array", "scan-free"], "toy")
    assert made.as_dict()["ratios"]["single_lane_accesses"][0] == 1.0
    assert made.ratios("single_lane_share")[0] == 1.0


def test_without_it_nothing_is_different(clean: None) -> None:
    """Of a run that was made before counters are added, and of one after they were removed."""

    def made() -> Mapping[str, Any]:
        data = gpubfs.run("scan-free", "toy").as_dict()
        return {
            "counters": data["counters"],
            "launches": [r["counters"] for r in data["per_launch"]],
        }

    before = json.dumps(made())
    add(Counter("mine", *ABOUT, formula="load_requests / 2"))
    assert json.dumps(made()) != before
    remove("mine")
    assert json.dumps(made()) == before


def test_it_can_be_a_limit(added: None) -> None:
    run = gpubfs.run("scan-free", "toy")
    assert set(NAMES) <= set(problem_counters())
    assert set(NAMES) <= set(search_counters(gpubfs.techniques()["scan-free"]))
    cost = Cost(run.counters, run.sites or ())
    most = run.counters["single_lane_accesses"]
    assert exceeded_limit({"single_lane_accesses": most}, cost) is None
    lost = exceeded_limit({"single_lane_accesses": most - 1}, cost)
    assert lost is not None
    assert f"single_lane_accesses is {most}" in lost.message


def test_what_is_of_runs_can_be_in_a_formula(clean: None) -> None:
    of_runs.add(Counter("loads_a_launch", *ABOUT, "control", formula="load_requests / launches"))
    run = gpubfs.run("scan-free", "toy")
    assert run.counters["loads_a_launch"] == run.counters["load_requests"] / run.launches
    assert "loads_a_launch" not in run.as_dict()["per_launch"][0]["counters"]
    assert gpubfs.run("scan-free", "toy", counters=False).counters["loads_a_launch"] is None


def test_where_nothing_is_counted_it_is_not(added: None) -> None:
    run = gpubfs.run("scan-free", "toy", counters=False)
    assert [run.counters[name] for name in NAMES] == [None] * 3


class Stepwise(LaunchCounter):
    stepwise = True


class Broken(LaunchCounter):
    def consume(self, log: Any, blocks: Any) -> None:
        self.value += blocks["no such block"]


class Misspelt(LaunchCounter):
    def consumed(self, log: Any, blocks: Any) -> None:
        self.value += 1


class HalfMisspelt(LaunchCounter):
    def __init__(self, config: Any) -> None:
        super().__init__(config)

    def start(self, wave: Any) -> None: ...
    def consum(self, log: Any, blocks: Any) -> None: ...


class Idle(LaunchCounter):
    seen = 0


@pytest.mark.parametrize(
    ("counter", "words", "remedy"),
    [
        (Counter("load_requests", *ABOUT, formula="branches"), "there is one", "another name"),
        (Counter("my loads", *ABOUT, formula="branches"), "no name", "underscores"),
        (Counter(formula="branches"), "counter '': this is no name", "letters"),
        (Counter("mine", formula="branches"), "has no unit and no meaning", "unit=…, meaning=…"),
        (Counter("mine", *ABOUT), "nothing says how", "one of formula, sites and observer"),
        (Counter("mine", *ABOUT, formula="branches", sites=len), "formula and sites", "one of"),
        (Counter("mine", *ABOUT, formula="load_request * 2"), "'load_request'", "load_requests?"),
        (Counter("mine", *ABOUT, formula="work.most"), "'work.most'", "work."),
        (Counter("mine", *ABOUT, formula="work + 1"), "'work'", "work."),
        (Counter("mine", *ABOUT, formula="hottest_address"), "a number", "hottest_ops"),
        (Counter("mine", *ABOUT, formula="a b"), "'a b' is no formula", "arithmetic"),
        (Counter("mine", *ABOUT, formula="branches**branches**9"), "is no formula", "arithmetic"),
        (Counter("mine", *ABOUT, formula="branches ** 9999999"), "is no formula", "arithmetic"),
        (Counter("mine", *ABOUT, formula="branches << branches"), "is no formula", "arithmetic"),
        (Counter("mine", *ABOUT, formula="f().x"), "is no formula", "arithmetic"),
        (Counter("mine", *ABOUT, formula="max(branches)"), "formula fails: TypeError", "mend"),
        (Counter("mine", *ABOUT, formula="'x' if branches == 0 else 1"), "gives no number", "mend"),
        (Counter("mine", *ABOUT, sites=3), "sites is no function", "function"),
        (Counter("mine", *ABOUT, observer=Stepwise), "stepwise", "consume"),
        (Counter("mine", *ABOUT, observer=Misspelt), "no consume", "did you mean consume?"),
        (Counter("mine", *ABOUT, observer=HalfMisspelt), "a method consum", "mean consume?"),
        (Counter("mine", *ABOUT, observer=Idle), "Idle overrides nothing", "one of start, watch"),
        (Counter("mine", *ABOUT, observer=LaunchCounter), "overrides nothing", "one of start"),
        (Counter("mine", *ABOUT, formula=3), "formula is 3", "'load_bytes / load_requests'"),
        (Counter("mine", *ABOUT, observer=int), "no class of LaunchCounter", "LaunchCounter"),
        (Counter("mine", *ABOUT, formula="branches", merge="mean"), "merge is 'mean'", "'max'"),
        (Counter("mine", *ABOUT, formula="branches", scope="level"), "scope is", "'run'"),
        (Counter("mine", *ABOUT, "balance", formula="branches", before="branches"), "before", ""),
    ],
    ids=lambda value: value.name if isinstance(value, Counter) else None,
)
def test_what_is_wrong_with_a_description_is_said(
    clean: None, counter: Counter, words: str, remedy: str
) -> None:
    before = dict(COUNTERS)
    with pytest.raises(simulator.SimulatorError) as caught:
        add(counter)
    assert words in caught.value.message
    assert remedy in caught.value.hint
    assert before == COUNTERS


@pytest.mark.parametrize(
    "how",
    [{"observer": Broken}, {"sites": lambda sites: 1 // 0}, {"sites": lambda sites: int("many")}],
    ids=["observer", "sites", "in a library"],
)
def test_a_counter_that_fails_is_named_with_its_line(
    clean: None, how: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    add(Counter("mine", *ABOUT, **how))
    with pytest.raises(SystemExit):
        main(["run", "scan-free", "--graph", "toy"])
    text = capsys.readouterr().err
    assert "counter 'mine' cannot be counted" in text
    assert "test_counter.py:" in text
    assert "Traceback" not in text


class OfItsConfiguration(LaunchCounter):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.value = config.grid[0]


def test_a_counter_may_count_what_a_launch_is_given(clean: None) -> None:
    add(Counter("mine", *ABOUT, observer=OfItsConfiguration))
    run = gpubfs.run("scan-free", "toy")
    assert run.counters["mine"] == sum(launch.grid[0] for launch in run.per_launch)


def test_what_is_counted_is_a_number(clean: None) -> None:
    add(Counter("mine", *ABOUT, sites=lambda sites: "many"))  # type: ignore[arg-type,return-value]
    with pytest.raises(simulator.SimulatorError, match="'mine' cannot be counted: it is 'many'"):
        gpubfs.run("scan-free", "toy")


class AddsBytes(LaunchCounter):
    def consume(self, log: Any, blocks: Any) -> None:
        for _ in range(2):
            self.value += np.uint8(200)  # which 8 bits hold once


LARGE = [np.int32(1_500_000_000), np.uint8(200), np.float16(60_000), np.int64(2**62)]


@pytest.mark.parametrize("value", LARGE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("way", ["sites", "observer"])
def test_launches_add_up_whatever_numpy_type_counts_them(clean: None, value: Any, way: str) -> None:
    class Given(LaunchCounter):
        def finish(self) -> None:
            self.value = value

    how: dict[str, Any] = {"sites": lambda sites: value, "observer": Given}
    add(Counter("mine", *ABOUT, **{way: how[way]}))
    run = gpubfs.run("scan-free", "toy", source=0)
    assert run.counters["mine"] == run.launches * value.item()
    assert all(type(one.counters["mine"]) is type(value.item()) for one in run.per_launch)


@pytest.mark.filterwarnings("error")
def test_a_sum_that_does_not_fit_its_type_is_an_error_with_its_line(clean: None) -> None:
    add(Counter("mine", *ABOUT, observer=AddsBytes))
    with pytest.raises(simulator.SimulatorError) as caught:
        gpubfs.run("status-array", "toy")
    line = inspect.getsourcelines(AddsBytes)[1] + 3
    assert "'mine' cannot be counted: FloatingPointError: overflow" in caught.value.message
    assert caught.value.hint == f"mend {__file__}:{line}"


def test_what_others_are_made_of_stays(clean: None) -> None:
    add(Counter("mine", *ABOUT, formula="branches"))
    add(Counter("other", *ABOUT, formula="mine * 2"))
    with pytest.raises(simulator.SimulatorError, match="other is made of mine"):
        remove("mine")
    with pytest.raises(simulator.SimulatorError, match="called 'nothing'"):
        remove("nothing")
    with pytest.raises(simulator.SimulatorError, match="the simulator's own"):
        remove("load_bytes")


def test_tables_keep_groups_together_and_order(clean: None) -> None:
    add(Counter("last", *ABOUT, "a new group", formula="branches"))
    add(Counter("first", *ABOUT, "atomics", formula="branches", before="atomic_requests"))
    add(Counter("hidden", *ABOUT, formula="branches"))
    names = [counter.name for counter in shown()]
    assert names.index("first") + 1 == names.index("atomic_requests")
    assert names[-1] == "last"
    assert "hidden" not in names
    groups = [counter.group for counter in shown()]
    assert groups == sorted(groups, key=groups.index)


def test_levels_show_what_the_machine_does_not_count_as_such(clean: None) -> None:
    add(Counter("mine", *ABOUT, "control", formula="branches", heading="mine"))
    run = gpubfs.run("scan-free", "toy")
    blind = replace(run, counters={**run.counters, "hottest_ops": None})
    for made, hottest in ((run, "3"), (blind, "not counted")):
        sheet = level_sheet(made)
        first = dict(zip((column.title for column in sheet.columns), sheet.rows[0], strict=True))
        assert first["hottest"] == hottest
        assert first["mine"] == str(run.per_launch[0].counters.branches)


def test_a_plugin_that_is_wrong_is_named_with_its_line_and_the_remedy(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "from simulator.observe.counters import Counter, add\n"
        'add(Counter("mine", "x", "y", formula="load_request + 1"))\n'
    )
    command = [sys.executable, "-m", "gpubfs", "--plugin", str(wrong), "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{wrong}:2: counter 'mine': there is no counter" in done.stderr
    assert "did you mean load_requests?" in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_a_plugin_is_loaded_by_the_command_line() -> None:
    command = [sys.executable, "-m", "gpubfs", "--plugin", str(FILE)]
    command += ["run", "scan-free", "--graph", "toy", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(NAMES) <= json.loads(done.stdout)["counters"].keys()


class OwnStart(LaunchCounter):
    def __init__(self, config: Any) -> None:
        pass


class TakesNothing(LaunchCounter):
    def __init__(self) -> None:
        pass


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"sites": lambda sites: exit(0)}, "SystemExit: 0"),
        ({"sites": lambda a, b: 1}, "TypeError"),
        ({"sites": lambda sites: True}, "it is True"),
        ({"sites": lambda sites: None}, "it is None"),
        ({"observer": OwnStart}, "has no attribute 'value'"),
        ({"observer": TakesNothing}, "TypeError"),
    ],
)
def test_a_counter_that_cannot_be_counted_is_named_with_its_file(
    clean: None, how: dict[str, Any], said: str
) -> None:
    add(Counter("mine", *ABOUT, **how))
    with pytest.raises(simulator.SimulatorError) as caught:
        gpubfs.run("scan-free", "toy")
    assert "counter 'mine' cannot be counted" in caught.value.message
    assert said in caught.value.message
    assert "test_counter.py:" in caught.value.hint


@pytest.mark.parametrize(
    ("counter", "words"),
    [
        ("zz", "'zz' is no Counter"),
        (Counter("mine", *ABOUT, group=3, formula="branches"), "group is 3"),  # type: ignore[arg-type]
        (Counter("mine", 3, "x", formula="branches"), "unit is 3"),  # type: ignore[arg-type]
        (Counter("zzü", *ABOUT, formula="branches"), "this is no name"),
        (Counter("lambda", *ABOUT, formula="branches"), "this is no name"),
    ],
    ids=str,
)
def test_fields_of_other_kinds_are_refused(clean: None, counter: Any, words: str) -> None:
    with pytest.raises(simulator.SimulatorError, match=words):
        add(counter)


@pytest.mark.slow
def test_counters_of_plugins_and_what_kinds_are_is_listed(clean: None) -> None:
    kinds = str(FILE.with_name("exercise_kind.py"))
    command = [sys.executable, "-m", "gpubfs", "--plugin", str(FILE), "--plugin", kinds, "list"]
    made = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "240"}
    )
    text = " ".join(made.stdout.split())
    assert "single_lane_accesses counter memory accesses of warps with one active lane" in text
    assert "single_lane_share counter share of them" in text
    assert "hard-graph kind of exercise Take an edge list, on which" in text
