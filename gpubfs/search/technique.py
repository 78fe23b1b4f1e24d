"""What a technique is: its description, its options, its kernel file and its driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gpubfs.errors import UsageError
from gpubfs.kernels import KERNELS
from gpubfs.search.configurable import Configurable
from gpubfs.search.option import Option, Value

if TYPE_CHECKING:
    from gpubfs.graphs import Graph
    from gpubfs.host import SearchResult

BOTH = ("sim", "gpu")

#: The family of techniques that name none.
OWN = "of your own"

Driver = Callable[..., "SearchResult"]


@dataclass(frozen=True)
class Parts:
    """How an array is cut into queues of one capacity, for traces.

    Attributes
    ----------
    sizes : str
        The array, in global or shared memory, that says how many elements each queue has.
    stride : int
        How many elements of `sizes` there are for each queue; the first is its size.
    capacity : str
        The kernel's parameter that says how many elements a queue holds.
    """

    sizes: str
    stride: int = 1
    capacity: str = "capacity"


@dataclass(frozen=True)
class Technique(Configurable):
    """One way to run a breadth-first search: a kernel file and the host code that drives it.

    Attributes
    ----------
    name, family, idea, paper, section, year
        What it is called, what it is a technique for, its idea in one sentence, and where it comes
        from.
    kernel : str
        Its CUDA file, beside the driver or in `gpubfs/kernels`.
    arrays : mapping
        The arrays that the driver allocates, and what their values mean.
    memory : str
        Its device memory beyond the graph, as a formula.
    options : tuple of Option
        What its user may choose.
    machines : tuple of str
        Where it runs.
    drive : callable
        ``drive(host, graph, source, **options) -> SearchResult``.
    about : str
        The driver module's whole docstring.
    benign : mapping
        Arrays on which threads race on purpose, and why that does no harm. ``name:writes`` declares
        no more than races of two writes.
    shared : mapping
        The arrays in shared memory, and what their values mean.
    cooperative : bool or callable
        Whether whole grids wait at barriers, and so launches must be cooperative; where that
        depends on options, a function of their values.
    directed : bool
        Whether directed graphs are searched, too.
    parts : mapping
        Arrays that are cut into queues.
    refused : mapping
        Options of its neighbours that it has not for a reason, and the reason.
    headers : Path
        The folder of the headers that it may include, besides the kernel file's own.
    folder : Path
        Where the driver is.
    """

    name: str
    drive: Driver
    family: str = OWN
    idea: str = ""
    kernel: str = ""
    paper: str = ""
    section: str = ""
    year: int | None = None
    arrays: Mapping[str, str] = field(default_factory=dict)
    memory: str = ""
    options: tuple[Option, ...] = ()
    machines: tuple[str, ...] = BOTH
    about: str = field(default="", repr=False)
    benign: Mapping[str, str] = field(default_factory=dict, repr=False)
    shared: Mapping[str, str] = field(default_factory=dict, repr=False)
    cooperative: bool | Callable[[Mapping[str, Value]], bool] = False
    directed: bool = True
    parts: Mapping[str, Parts] = field(default_factory=dict, repr=False)
    refused: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Path = field(default=KERNELS, repr=False)
    folder: Path = field(default=KERNELS, repr=False)

    @property
    def code(self) -> Driver:
        """The function that defines it."""
        return self.drive

    @property
    def path(self) -> Path:
        """Where the kernel file is."""
        beside = self.folder / self.kernel
        return beside if beside.exists() else KERNELS / self.kernel

    @property
    def origin(self) -> str:
        """Where it comes from, in one line; empty for what no paper describes."""
        year = "" if self.year is None else f" ({self.year})"
        return ", ".join(part for part in (f"{self.paper}{year}".strip(), self.section) if part)

    @property
    def source(self) -> str:
        """The text of the kernel file."""
        return self.path.read_text(encoding="utf-8")

    def is_cooperative(self, values: Mapping[str, Value]) -> bool:
        """Return whether launches are cooperative, for complete option `values`.

        Parameters
        ----------
        values : mapping
            A value for each option.

        Returns
        -------
        bool
            Whether whole grids wait at barriers.
        """
        return self.cooperative(values) if callable(self.cooperative) else self.cooperative

    def as_dict(self) -> dict[str, object]:
        """Return everything but the code, ready for JSON.

        Returns
        -------
        dict
            Its fields by name, options as dictionaries.
        """
        names = ("name", "family", "idea", "kernel", "paper", "section", "year", "memory", "arrays")
        kinds = ("shared", "benign", "directed")
        described = {name: getattr(self, name) for name in (*names, *kinds)}
        options = [option.as_dict() for option in self.options]
        return described | {"options": options, "machines": list(self.machines)}

    def check_graph(self, graph: Graph) -> None:
        """Check that the technique searches graphs of this kind.

        Parameters
        ----------
        graph : Graph
            The graph.

        Raises
        ------
        UsageError
            If it is directed, and the technique needs edges in both directions.
        """
        if graph.directed and not self.directed:
            raise UsageError(
                f"{self.name} does not search directed graphs, and {graph.spec} is one: it looks "
                "for parents along the edges of their children",
                "leave out directed, or take a technique that only goes forward, such as scan-free",
            )
