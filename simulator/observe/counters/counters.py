"""What a launch did, as a GPU engineer looks at it: each counter, declared with its description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, overload

from simulator.observe.counters.description import (
    COUNTERS,
    LAUNCH,
    Counter,
    at_fault,
    number,
)
from simulator.observe.counters.sites import Most, Site, Sum
from simulator.observe.counters.work import Work

#: Bytes of a sector.
SECTOR = 32

GLOBAL, ATOMICS, SHARED = "global memory", "atomics", "shared memory"
EXECUTION, BALANCE, CONTROL = "execution", "balance", "control"

LOADS, STORES, GLOBAL_ATOMICS, BRANCHES = ("load",), ("store",), ("atomic",), ("branch",)
ALL_ATOMICS = ("atomic", "shared_atomic", "distributed_atomic")
SHARED_ACCESSES = ("shared_load", "shared_store", "shared_atomic")
TEXTURES, SURFACES = ("texture_load",), ("surface_load", "surface_store")
PRODUCTS = ("product",)
DISTRIBUTED = ("distributed_load", "distributed_store", "distributed_atomic")

SASS = "statements and branches of C are not the instructions that a compiler makes of them"
SECTORS_ONLY = "not compared: sectors are what moves"
NO_ADDRESSES = "no metric tells one address from another"
NOT_MEASURED = "not compared: no reading of a GPU is known to us"
NO_THREADS = "no metric is of single threads"
SEEN_ONCE = "equal in 12 small launches on an H200; no command compares them"
NOT_ARRANGED = "not compared: a GPU has the texels of CUDA arrays in other sectors than rows"
UNITS = "textures and surfaces are not counted there"
STATEMENTS = "statements are not counted there"


def _metrics(what: str, *accesses: str) -> tuple[str, ...]:
    """Name the metrics of one kind of accesses to global memory."""
    return tuple(f"l1tex__t_{what}_pipe_lsu_mem_global_op_{name}.sum" for name in accesses)


def _counter(unit: str, meaning: str, group: str = "", sites: Sum | None = None, **how: Any) -> Any:
    """Declare a field of `Counters` that is a counter; its name is the field's."""
    row = Counter("", unit, meaning, group, sites=sites, **how)
    return field(default=row.default, metadata={"counter": row})


def _accesses(whose: str) -> dict[str, Counter]:
    """Describe how memory operations are spread."""
    meaning = f"accesses of each {whose} to global and shared memory"
    how = "maximum, mean, imbalance, gini, total and histogram over all launches"
    row = Counter("", "accesses", meaning, details=how, not_in_nsight=NO_THREADS, default=Work())
    return {"counter": row}


class _Derived:
    """A counter that is made of others, as an attribute of `Counters`."""

    def __init__(self, unit: str, meaning: str, group: str, formula: str, **how: Any) -> None:
        self.row = Counter("", unit, meaning, group, formula=formula, **how)

    @overload
    def __get__(self, counters: None, owner: type[Counters]) -> Self: ...
    @overload
    def __get__(self, counters: Counters, owner: type[Counters]) -> float: ...
    def __get__(self, counters: Counters | None, owner: type[Counters]) -> Self | float:
        if counters is None:
            return self
        return self.row.value(counters.__getitem__) or 0.0


@dataclass(frozen=True)
class Counters:
    """The counters of one launch, or of several together (`+`).

    A *request* is one execution of one memory instruction by one warp with at least one active
    lane; a *sector* is an aligned 32-byte piece of memory. Bytes are what the lanes asked for.
    Steps are C statements. `simulator.observe.counters.COUNTERS` describes each; ``[name]`` gives
    any of them, those that were added, and the figures of distributions.

    Examples
    --------
    >>> coalesced = Counters(load_requests=1, load_sectors=4)
    >>> both = coalesced + Counters(load_requests=1, load_sectors=32)
    >>> both.load_sectors, both.sectors_per_request, both["work.maximum"]
    (36, 18.0, 0)
    """

    load_requests: int = _counter(
        "requests",
        "global loads of warps",
        GLOBAL,
        Sum("requests", LOADS),
        nsight=_metrics("requests", "ld"),
        heading="loads",
    )
    load_sectors: int = _counter(
        "sectors",
        "32-byte pieces that global loads touched",
        GLOBAL,
        Sum("sectors", LOADS),
        details="distinct over the active lanes of a request",
        nsight=_metrics("sectors", "ld"),
        heading="sectors",
    )
    load_bytes: int = _counter(
        "bytes",
        "bytes that lanes asked for by global loads",
        "",
        Sum("lanes", LOADS, by_size=True),
        not_in_nsight=SECTORS_ONLY,
    )
    store_requests: int = _counter(
        "requests",
        "global stores of warps",
        GLOBAL,
        Sum("requests", STORES),
        nsight=_metrics("requests", "st"),
        heading="stores",
    )
    store_sectors: int = _counter(
        "sectors",
        "32-byte pieces that global stores touched",
        GLOBAL,
        Sum("sectors", STORES),
        nsight=_metrics("sectors", "st"),
    )
    store_bytes: int = _counter(
        "bytes",
        "bytes that lanes wrote by global stores",
        "",
        Sum("lanes", STORES, by_size=True),
        not_in_nsight=SECTORS_ONLY,
    )
    atomic_requests: int = _counter(
        "requests",
        "global atomics of warps",
        ATOMICS,
        Sum("requests", GLOBAL_ATOMICS),
        nsight=_metrics("requests", "atom", "red"),
        heading="atomics",
    )
    atomic_sectors: int = _counter(
        "sectors",
        "visits of global atomics to 32-byte pieces",
        ATOMICS,
        Sum("sectors", GLOBAL_ATOMICS),
        details="as often as lanes of a request want the most wanted address in it, one by one",
        nsight=_metrics("sectors", "atom", "red"),
    )
    atomic_lanes: int = _counter(
        "lanes",
        "global atomics of threads",
        ATOMICS,
        Sum("lanes", GLOBAL_ATOMICS),
        details="those that the compiler merges are counted as written",
        not_in_nsight="not compared: the hardware counts what compilers leave of them",
    )
    same_address_max: int = _counter(
        "lanes",
        "most lanes of one atomic at one address",
        ATOMICS,
        Most("same_address_max", ALL_ATOMICS),
        merge="max",
        not_in_nsight=NO_ADDRESSES,
    )
    hottest_ops: int = _counter(
        "lanes",
        "atomics on the busiest address of one launch",
        ATOMICS,
        merge="max",
        not_in_nsight=NO_ADDRESSES,
        not_on_gpu="one address is not told from another there",
        heading="hottest",
    )
    hottest_address: str | None = _counter(
        "",
        "the busiest address of one launch",
        ATOMICS,
        details="as array and index",
        merge="hottest_ops",
        not_in_nsight=NO_ADDRESSES,
        not_on_gpu="one address is not told from another there",
        before="hottest_ops",
        default=None,
    )
    cas_failed: int = _counter(
        "lanes",
        "compare-and-swaps that did not swap",
        ATOMICS,
        Sum("cas_failed", ALL_ATOMICS),
        not_in_nsight="no metric is of what an atomic found",
    )
    shared_requests: int = _counter(
        "requests",
        "shared memory accesses of warps",
        SHARED,
        Sum("requests", SHARED_ACCESSES),
        details="atomics included",
        not_in_nsight="not compared: `l1tex__t` is of the cache, which shared memory goes by",
    )
    bank_conflicts: int = _counter(
        "passes",
        "extra passes of shared accesses over 32 banks",
        SHARED,
        Sum("bank_conflicts", SHARED_ACCESSES),
        details="of loads and stores over banks of 4 bytes; lanes that share them go together, "
        "8-byte accesses by half warps, 16-byte ones by quarters",
        nsight=tuple(
            f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{name}.sum" for name in ("ld", "st")
        ),
    )
    distributed_requests: int = _counter(
        "requests",
        "accesses of warps to the shared memory of other blocks of their cluster",
        "",
        Sum("requests", DISTRIBUTED),
        details="atomics included; they are none of `shared_requests`, and have no bank conflicts "
        "here",
        not_in_nsight=NOT_MEASURED,
    )
    distributed_bytes: int = _counter(
        "bytes",
        "bytes that lanes asked for in the shared memory of other blocks",
        "",
        Sum("lanes", DISTRIBUTED, by_size=True),
        not_in_nsight=NOT_MEASURED,
    )
    texture_requests: int = _counter(
        "requests",
        "fetches of warps from textures",
        "",
        Sum("requests", TEXTURES),
        details="they are none of `load_requests`",
        not_in_nsight=SEEN_ONCE,
        not_on_gpu=UNITS,
    )
    texture_sectors: int = _counter(
        "sectors",
        "32-byte pieces with the texels that fetches read",
        "",
        Sum("sectors", TEXTURES),
        details="distinct over the active lanes of a request, in arrays whose rows lie one after "
        "another; what is outside of a texture is none",
        not_in_nsight=NOT_ARRANGED,
        not_on_gpu=UNITS,
    )
    surface_requests: int = _counter(
        "requests",
        "reads and writes of surfaces by warps",
        "",
        Sum("requests", SURFACES),
        not_in_nsight=SEEN_ONCE,
        not_on_gpu=UNITS,
    )
    surface_sectors: int = _counter(
        "sectors",
        "32-byte pieces that they touched",
        "",
        Sum("sectors", SURFACES),
        details="as `texture_sectors`",
        not_in_nsight=NOT_ARRANGED,
        not_on_gpu=UNITS,
    )
    matrix_products: int = _counter(
        "products",
        "products of matrices by warps",
        "",
        Sum("requests", PRODUCTS),
        details="calls of `mma_sync`",
        not_in_nsight="a compiler makes one to four instructions of each",
        not_on_gpu="products of matrices are not counted there",
    )
    warp_steps: int = _counter(
        "statements",
        "statements executed by warps",
        EXECUTION,
        details="C statements, and conditions of loops",
        not_in_nsight=SASS,
        not_on_gpu=STATEMENTS,
    )
    thread_steps: int = _counter(
        "statements",
        "statements executed by threads",
        EXECUTION,
        not_in_nsight=SASS,
        not_on_gpu=STATEMENTS,
    )
    branches: int = _counter(
        "branches",
        "branches met by warps",
        EXECUTION,
        Sum("requests", BRANCHES),
        details="conditions of `if` and loops, selectors of `switch`, and of `?:`, `&&`, `||` "
        "where a side must not be evaluated by all",
        not_in_nsight=SASS,
    )
    divergent_branches: int = _counter(
        "branches",
        "branches whose lanes disagreed",
        EXECUTION,
        Sum("divergent", BRANCHES),
        details="of a `switch`: went to different labels",
        not_in_nsight=SASS,
    )
    barriers: int = _counter(
        "barriers",
        "barriers over a block",
        CONTROL,
        build=Sum("passed", ("barrier",)),
        not_in_nsight="not compared: the hardware counts instructions of warps",
    )
    cluster_syncs: int = _counter(
        "barriers",
        "barriers over a cluster of blocks",
        "",
        build=Sum("passed", ("cluster barrier",)),
        not_in_nsight=NOT_MEASURED,
    )
    grid_syncs: int = _counter(
        "barriers",
        "barriers over a whole grid",
        CONTROL,
        build=Sum("passed", ("grid barrier",)),
        before="barriers",
        not_in_nsight="a grid waits by loads and atomics, not by an instruction",
    )
    device_launches: int = _counter(
        "launches",
        "launches by kernels",
        CONTROL,
        before="grid_syncs",
        not_in_nsight="launches are profiled, not counted",
    )
    warp_size: int = _counter(
        "lanes",
        "lanes of a warp",
        merge="max",
        default=32,
        not_in_nsight="not compared: it is fixed",
    )
    work: Work = field(default_factory=Work, metadata=_accesses("thread"))
    work_per_warp: Work = field(default_factory=Work, metadata=_accesses("warp"))
    work_per_block: Work = field(default_factory=Work, metadata=_accesses("block"))
    more: Mapping[str, Any] = field(default_factory=dict)

    sectors_per_request = _Derived(
        "ratio",
        "of loads; 4 is a coalesced 4-byte access, 32 the worst",
        GLOBAL,
        "load_sectors / load_requests",
        before="store_requests",
    )
    load_efficiency = _Derived(
        "%",
        "bytes that loads asked for / bytes moved",
        GLOBAL,
        f"load_bytes / ({SECTOR} * load_sectors)",
        details="above 100 % where lanes share what they load",
        before="store_requests",
        percent=True,
    )
    simt_efficiency = _Derived(
        "%",
        "lanes that were active, on average",
        EXECUTION,
        "thread_steps / (warp_size * warp_steps)",
        before="branches",
        percent=True,
    )

    @classmethod
    def of(cls, sites: Sequence[Site], on_gpu: bool = False, **others: Any) -> Counters:
        """Make the counters of one launch.

        Parameters
        ----------
        sites : sequence of Site
            What its sites add up to.
        on_gpu : bool
            Whether the build that counts on a GPU counted them.
        **others
            The counters that do not follow from sites.

        Returns
        -------
        Counters
            All counters, those of plugins among them.
        """
        ways = {n: (on_gpu and row.build) or row.sites for n, row in COUNTERS.items()}
        found: dict[str, Any] = {}
        for name, count in ways.items():
            if count and name in DECLARED:
                found[name] = count(sites)
            elif count:
                with at_fault(name):
                    found[name] = count(sites)
        found |= others
        added = [name for name in found if name not in DECLARED]
        more = {name: number(name, found.pop(name)) for name in added}
        return cls(**found, more=more)

    def __getitem__(self, name: str) -> Any:
        head, *rest = name.split(".")
        row = COUNTERS.get(head)
        if row is None or row.scope != LAUNCH:
            raise KeyError(name)
        found: Any = self.more.get(head, row.default)
        if row.formula:
            found = row.value(self.__getitem__)
        elif head in DECLARED:
            found = getattr(self, head)
        for part in rest:
            found = getattr(found, part)
        return found

    def __add__(self, other: Counters) -> Counters:
        return Counters.total((self, other))

    @classmethod
    def total(cls, launches: Sequence[Counters]) -> Counters:
        """Add up the counters of launches, of which there is one at least.

        Parameters
        ----------
        launches : sequence of Counters
            In their order.

        Returns
        -------
        Counters
            Those of all of them together.

        Examples
        --------
        >>> once = Counters(load_requests=1, load_sectors=4)
        >>> Counters.total([once, once, once]).load_sectors
        12
        """
        declared = {name: _merged(launches, name) for name in DECLARED}
        added = dict.fromkeys(name for one in launches for name in one.more)
        more = {name: _merged(launches, name) for name in added if name in COUNTERS}
        return cls(**declared, more=more)

    def as_dict(self) -> dict[str, Any]:
        """Return all counters by name, ready for JSON: first what is counted, then what it makes.

        Returns
        -------
        dict
            Numbers, and the distributions of work as dictionaries.
        """
        rows = [row for row in COUNTERS.values() if row.scope == LAUNCH and "." not in row.name]
        found = {row.name: self[row.name] for row in rows}
        return {n: v.as_dict() if isinstance(v, Work) else v for n, v in found.items()}


def _merged(launches: Sequence[Counters], name: str) -> Any:
    """One counter of all launches together."""
    values, rule = [one[name] for one in launches], COUNTERS[name].merge
    if rule in COUNTERS:  # that of the first launch which has the most of another
        most = [one[rule] for one in launches]
        return values[most.index(max(most))]
    if rule == "max":
        return max(values)
    return Work.together(values) if isinstance(values[0], Work) else sum(values[1:], values[0])


_DISTRIBUTIONS = (
    Counter(
        "work.maximum",
        "accesses",
        "accesses of the busiest thread",
        BALANCE,
    ),
    Counter("work.mean", "accesses", "accesses of a thread on average", BALANCE),
    Counter(
        "work.imbalance", "ratio", "busiest thread to mean; 1 is even", BALANCE, heading="imbalance"
    ),
    Counter("work.gini", "0 to 1", "inequality of threads; 0 is even", BALANCE),
    Counter("work_per_warp.imbalance", "ratio", "busiest warp to mean", BALANCE),
    Counter("work_per_block.imbalance", "ratio", "busiest block to mean", BALANCE),
)


#: The counters that are fields, by their names.
DECLARED = {item.name: item for item in fields(Counters) if "counter" in item.metadata}


def _describe() -> None:
    """Register what the class declares, under the names of its attributes."""
    for item in fields(Counters):
        if row := item.metadata.get("counter"):
            COUNTERS[item.name] = replace(row, name=item.name)
    for name, member in vars(Counters).items():
        if isinstance(member, _Derived):
            COUNTERS[name] = replace(member.row, name=name)
    COUNTERS.update({row.name: row for row in _DISTRIBUTIONS})


_describe()
