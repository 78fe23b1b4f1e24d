"""Breadth-first search on GPUs: each technique one CUDA file, run on a GPU or simulated."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gpubfs.render import views

if TYPE_CHECKING:
    from gpubfs.errors import UsageError
    from gpubfs.experiments.catalogue import experiments
    from gpubfs.experiments.experiment import Experiment, Report
    from gpubfs.experiments.lab import experiment
    from gpubfs.graphs import Graph, GraphError, graph
    from gpubfs.host import DeviceGraph, Host, SearchResult
    from gpubfs.measure.comparison import Comparison, compare
    from gpubfs.search.catalogue import techniques
    from gpubfs.search.comparators import ligra
    from gpubfs.search.option import Option
    from gpubfs.search.plugins import load_plugins
    from gpubfs.search.result import Run
    from gpubfs.search.runs import run
    from gpubfs.search.technique import Technique
    from gpubfs.search.verify import VerificationError
    from gpubfs.show.traces import Trace, trace

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "DeviceGraph",
    "Experiment",
    "Graph",
    "GraphError",
    "Host",
    "Option",
    "Report",
    "Run",
    "SearchResult",
    "Technique",
    "Trace",
    "UsageError",
    "VerificationError",
    "__version__",
    "compare",
    "experiment",
    "experiments",
    "graph",
    "ligra",
    "load_plugins",
    "run",
    "techniques",
    "trace",
]

# What shows the data of modules below; imported when something is shown, the fastest first.
views.provide(
    "gpubfs.show.graphs",
    "gpubfs.show.tables",
    "gpubfs.show.plots",
    "gpubfs.show.dynamic",
    "gpubfs.show.comparisons",
    "gpubfs.experiments.report",
    "gpubfs.show.traces",
)

#: Where names live whose modules are slow to import; they are imported when they are first used.
_LAZY = {
    "Comparison": "measure.comparison",
    "DeviceGraph": "host",
    "Experiment": "experiments.experiment",
    "Graph": "graphs",
    "GraphError": "graphs",
    "Host": "host",
    "Option": "search.option",
    "Report": "experiments.experiment",
    "Run": "search.result",
    "SearchResult": "host",
    "Technique": "search.technique",
    "Trace": "show.traces",
    "UsageError": "errors",
    "VerificationError": "search.verify",
    "compare": "measure.comparison",
    "experiment": "experiments.lab",
    "experiments": "experiments.catalogue",
    "graph": "graphs",
    "ligra": "search.comparators",
    "load_plugins": "search.plugins",
    "run": "search.runs",
    "techniques": "search.catalogue",
    "trace": "show.traces",
}

# The packages first: the functions of their names are what users call.
for _name in ("experiments", "techniques"):
    importlib.import_module(f"gpubfs.{_name}")
    del globals()[_name]


def __getattr__(name: str) -> Any:
    if name == "dynamic":  # the package, whose functions have names of their own
        return importlib.import_module("gpubfs.dynamic")
    if name not in _LAZY:
        raise AttributeError(f"module 'gpubfs' has no attribute '{name}'")
    return getattr(importlib.import_module(f"gpubfs.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
