"""What all tests share: machines, with the reason where one is missing."""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from simulator.program.kept import use_disk
from tests.sampling import left_out

#: How many files of tests are gone through until garbage is looked for in all that is in memory.
FILES_BETWEEN = 60
_FILES = count()

settings.register_profile("quick", deadline=None, max_examples=12)
settings.register_profile("slow", deadline=None, max_examples=100)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skip", action="store_true", help="a test that is skipped fails")


def pytest_configure(config: pytest.Config) -> None:
    """Laws are tried with more examples where slow tests are asked for.

    What tests start can be interrupted and hears that its terminal hangs up, although background
    jobs of a shell ignore the one, nohup the other, and children inherit that.
    """
    use_disk(False)  # what is tested is what happens now
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    slow = "slow" in config.option.markexpr.replace("not slow", "")
    settings.load_profile("slow" if slow else "quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take samples of tests with many cases, unless files or tests are named."""
    if not any("::" in given or Path(given).is_file() for given in config.args):
        for item in left_out(items):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.case)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what was collected: grading calls it before each run."""
    _put_aside()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """Let it pass over what a file of tests leaves behind, too, such as programs that are kept."""
    yield
    if nextitem is not None and nextitem.path != item.path:
        _put_aside()


def _put_aside() -> None:
    """Collect garbage, and look at what is left only after many more files of tests."""
    files = next(_FILES)
    if files % FILES_BETWEEN == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and item.config.getoption("--no-skip"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which --no-skip forbids: {report.longrepr}"
    return report


def why_no_gpu() -> str:
    from gpubfs.errors import UsageError
    from gpubfs.machines.gpu import cuda_module

    try:
        cuda_module()
    except UsageError as error:
        return error.message
    return ""


@pytest.fixture(params=["sim", pytest.param("gpu", marks=pytest.mark.gpu)])
def machine(request: pytest.FixtureRequest) -> str:
    """Each machine in turn; the GPU only where there is one."""
    name: str = request.param
    reason = why_no_gpu() if name == "gpu" else ""
    if reason:
        pytest.skip(reason)
    return name


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without plugins before a test and after it."""
    from gpubfs.experiments.catalogue import experiments
    from gpubfs.graphs import FAMILIES, FORMATS
    from gpubfs.search import plugins
    from gpubfs.search.catalogue import techniques
    from gpubfs.search.observing import OBSERVERS

    monkeypatch.setenv(plugins.VARIABLE, "")
    monkeypatch.setattr(plugins, "PLUGINS", loaded := {**plugins.PLUGINS})
    monkeypatch.setattr("gpubfs.search.discovery.PLUGINS", loaded)
    monkeypatch.setattr("gpubfs.cli.listing.PLUGINS", loaded)
    registers = FORMATS, FAMILIES, OBSERVERS
    before = [dict(register) for register in registers]
    yield
    for register, held in zip(registers, before, strict=True):
        register.clear()
        register.update(held)
    techniques.cache_clear()
    experiments.cache_clear()
