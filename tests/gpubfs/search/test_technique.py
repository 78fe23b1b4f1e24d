import sys
import textwrap
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
import gpubfs.search.technique
from gpubfs.errors import UsageError
from gpubfs.search.catalogue import FAMILIES, find, techniques
from gpubfs.search.option import Option

KNOWN = list(techniques().values())

DRIVER = """
    '''Nothing but scan-free under another name.'''
    from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, queue_loop
    from gpubfs.search.option import Option
    from gpubfs.search.description import technique

    @technique(
        "newcomer", family="test", kernel={kernel!r}, paper="none", section="none", year=2030,
        arrays=QUEUE_ARRAYS, memory=QUEUE_MEMORY, options=(Option("block", 32, "threads"),),
    )
    def newcomer(host, graph, source, *, block):
        return queue_loop(host, graph, source, "newcomer", block)
"""


def test_the_first_three_are_there() -> None:
    assert {"status-array", "scan-free", "block-prefix-sum"} <= set(techniques())


def test_families_come_in_the_order_in_which_they_build_on_each_other() -> None:
    shipped = [one.family for one in KNOWN if one.code.__module__.startswith("gpubfs.techniques.")]
    assert tuple(dict.fromkeys(shipped)) == FAMILIES
    assert next(iter(techniques())) == "status-array"


@pytest.mark.parametrize("technique", KNOWN, ids=lambda t: t.name)
def test_descriptions_are_complete(technique: gpubfs.Technique) -> None:
    for part in ("family", "idea", "paper", "section", "memory", "about"):
        assert getattr(technique, part).strip()
    assert 1990 < technique.year < 2100
    assert technique.arrays
    assert f"{technique.name}:" in technique.source.splitlines()[0]
    for option in technique.options:
        assert option.parse(option.default) == option.default


#: Words with which techniques use all the memory that they describe, in one run or in several.
ALL_MEMORY = {
    "stages": ("cluster+grid", "grid", "bytemap"),
    "enqueue": ("prefix-sum",),
    "supports": ("warp+block+queues",),
    "expansion": ("block-prefix-sum",),
}


def with_all_memory(technique: gpubfs.Technique, spec: str, **how: object) -> list[gpubfs.Run]:
    names = [option.name for option in technique.options if option.name in ALL_MEMORY]
    return [
        gpubfs.run(technique, spec, **dict(zip(names, words, strict=True)), **how)
        for words in product(*(ALL_MEMORY[name] for name in names))
    ]


@pytest.mark.parametrize("technique", KNOWN, ids=lambda t: t.name)
def test_every_allocated_array_is_explained(technique: gpubfs.Technique) -> None:
    explained = {"offsets", "neighbours", *technique.arrays}
    runs = with_all_memory(technique, "toy", counters=False)
    assert {name for done in runs for name in done.counters["bytes_by_name"]} == explained
    plain = gpubfs.run(technique, "toy", counters=False)
    assert set(plain.counters["bytes_by_name"]) <= explained


@pytest.mark.parametrize("technique", KNOWN, ids=lambda t: t.name)
def test_every_shared_array_is_explained(technique: gpubfs.Technique) -> None:
    for done in with_all_memory(technique, "kron:6"):
        sites = [site for site in done.sites if site.kind.startswith("shared")]
        # A structure's pointer has no name, and members have those of structures before theirs.
        used = {site.array.partition(".")[0] for site in sites if site.array}
        assert used <= set(technique.shared)
        assert bool(technique.shared) == bool(done.counters["shared_requests"])


def test_a_technique_is_one_kernel_file_and_one_driver_file(tmp_path, monkeypatch) -> None:
    kernel = tmp_path / "newcomer.cu"
    kernel.write_text(find("scan-free").source.replace("scan_free", "newcomer"))
    driver = tmp_path / "drivers" / "newcomer_for_tests.py"
    driver.parent.mkdir()
    driver.write_text(textwrap.dedent(DRIVER.format(kernel=str(kernel))))
    package = sys.modules["gpubfs.techniques"]
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(driver.parent)])
    techniques.cache_clear()
    try:
        assert gpubfs.run("newcomer", "grid:5x5").verified
        assert "newcomer" in gpubfs.techniques()
    finally:
        techniques.cache_clear()
        sys.modules.pop("gpubfs.techniques.newcomer_for_tests", None)


def test_unknown_technique_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean scan-free"):
        find("scan-fre")


def test_underscores_may_stand_for_hyphens() -> None:
    assert find("scan_free") is find("scan-free")


def test_complete_fills_in_defaults_and_checks_names() -> None:
    technique = find("block-prefix-sum")
    assert technique.complete({"edges-per-thread": "8"}) == {"block": 256, "edges_per_thread": 8}
    assert technique.defines(technique.complete({})) == {"EDGES_PER_THREAD": "4"}
    with pytest.raises(UsageError, match="did you mean block"):
        technique.complete({"blok": 3})


def test_blocks_of_whole_warps() -> None:
    technique = find("block-prefix-sum")
    with pytest.raises(UsageError, match="multiple of 32"):
        technique.complete({"block": 48})
    assert technique.complete({"block": 48}, warp_size=4)["block"] == 48


@given(st.integers(-2000, 2000))
def test_integer_options_take_exactly_their_range(number: int) -> None:
    option = Option("block", 256, "threads per block", minimum=1, maximum=1024)
    if 1 <= number <= 1024:
        assert option.parse(str(number)) == option.parse(number) == number
    else:
        with pytest.raises(UsageError, match="from 1 up to 1024"):
            option.parse(number)


@pytest.mark.parametrize("text", ["", "many", "1.5", "0x10", "None"])
def test_integer_options_refuse_other_text(text: str) -> None:
    with pytest.raises(UsageError, match="whole number"):
        Option("block", 256, "threads per block").parse(text)


def test_other_kinds_of_options() -> None:
    switch = Option("balanced", False, "whether to balance")
    assert switch.parse("yes") is True
    assert switch.parse(False) is False
    with pytest.raises(UsageError, match="true or false"):
        switch.parse("perhaps")
    choice = Option("enqueue", "atomic", "how", choices=("atomic", "prefix-sum"))
    assert choice.parse("prefix-sum") == "prefix-sum"
    with pytest.raises(UsageError, match="one of atomic, prefix-sum"):
        choice.parse("magic")


@pytest.mark.slow
def test_the_function_keeps_its_name_against_the_package() -> None:
    import gpubfs.techniques.frontiers.scan_free

    assert callable(gpubfs.techniques)
    assert not hasattr(gpubfs, "no_such_name")
    assert "compare" in dir(gpubfs)
