"""How long a printed trace is said to be, before it is printed."""

from __future__ import annotations

import re

import pytest

import gpubfs
from gpubfs.cli.main import main
from gpubfs.show.traces.terminal import session

TRACE = ["trace", "scan-free", "--graph", "kron:6"]


@pytest.mark.slow
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_long_trace_is_said_before_it_is_printed(
    form: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MOST", 100_000)
    with pytest.raises(SystemExit) as ended:
        main([*TRACE, *form])
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    steps = len(gpubfs.trace("scan-free", "kron:6"))
    assert f"{steps:,} steps, about " in err
    assert "--level" in err
    assert "--all" in err
    monkeypatch.setattr(session, "MOST", 10**9)
    with pytest.raises(SystemExit):
        main([*TRACE, *form])
    quiet, nothing = capsys.readouterr()
    assert nothing == ""
    monkeypatch.setattr(session, "MOST", 100_000)
    with pytest.raises(SystemExit) as ended:
        main([*TRACE, *form, "--all"])
    out, err = capsys.readouterr()
    assert ended.value.code in (0, None)
    assert out == quiet
    assert re.fullmatch(rf"scan-free on kron:6 from \d+: {steps:,} steps, about \d+ MB\n", err)


@pytest.mark.slow
def test_the_length_is_about_right(capsys: pytest.CaptureFixture[str]) -> None:
    shown = gpubfs.trace("scan-free", "kron:6")
    for as_json in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(session, "MOST", 10)
            measure = session._json_size if as_json else session._pictures_size
            said = measure(shown) if as_json else measure(shown, 0)
        with pytest.raises(SystemExit):
            main([*TRACE, *(["--json"] if as_json else [])])
        printed = len(capsys.readouterr().out.encode())
        assert 0.5 < said / printed < 2


def test_short_traces_are_printed_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["trace", "scan-free", "status-array", "--graph", "toy", "--json"])
    assert ended.value.code in (0, None)
    assert capsys.readouterr().err == ""
