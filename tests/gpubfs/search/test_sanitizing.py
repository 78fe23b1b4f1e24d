"""Techniques under sanitizers: clean but for the races that they declare."""

from __future__ import annotations

import dataclasses
import json

import pytest

import gpubfs
import simulator
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.search.catalogue import find, techniques
from tests.sampling import sampled

SIM = [t for t in techniques().values() if "sim" in t.machines]


@pytest.mark.parametrize("technique", SIM, ids=lambda t: t.name)
@pytest.mark.parametrize("spec", sampled(["toy", "kron:7", "grid:9x7"], 3))
def test_every_technique_is_clean_or_says_why_not(technique: gpubfs.Technique, spec: str) -> None:
    done = gpubfs.run(technique, spec, sanitize="all")
    for finding in done.findings:
        assert finding.verdict in ("declared", "harmless")
        if finding.declared:
            scopes = (technique.benign.get(finding.array + scope) for scope in ("", ":writes"))
            assert finding.reason in scopes
    assert {key.partition(":")[0] for key in technique.benign} <= {
        *technique.arrays,
        *technique.shared,
    }


def test_a_race_that_is_not_declared_ends_the_run() -> None:
    bare = dataclasses.replace(find("scan-free"), benign={})
    with pytest.raises(simulator.Fault, match=r"race on level\["):
        gpubfs.run(bare, "kron:7", sanitize="race")
    assert gpubfs.run(bare, "kron:7", sanitize="init,sync").findings == ()


def test_what_was_let_pass_is_in_json_and_in_the_tables(
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = json.loads(json.dumps(gpubfs.run("scan-free", "kron:7", sanitize="race").as_dict()))
    assert data["sanitizers"] == "race"
    assert {found["array"] for found in data["findings"]} == {"level"}
    assert all(found["declared"] and found["places"] for found in data["findings"])
    with pytest.raises(SystemExit) as ended:
        main(["run", "scan-free", "--graph", "kron:7", "--sanitize", "race,init"])
    assert not ended.value.code
    shown = capsys.readouterr().out
    assert "sanitizers: race,init" in shown
    assert "race, declared" in shown


def test_without_sanitizers_nothing_is_said() -> None:
    done = gpubfs.run("scan-free", "toy")
    assert (done.sanitizers, done.findings) == ("", ())


@pytest.mark.parametrize("names", ["rase", "race,", "init;race"])
def test_names_that_are_none(names: str) -> None:
    with pytest.raises(UsageError, match="there is no sanitizer"):
        gpubfs.run("scan-free", "toy", sanitize=names)
