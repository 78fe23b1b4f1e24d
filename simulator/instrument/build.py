"""From a CUDA C file to one that counts: flatten, check, compile, rewrite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from simulator.compile.compiled import viewed
from simulator.compile.kernel import compile_kernel
from simulator.instrument.flatten import Flat, flatten
from simulator.instrument.results import SLOTS
from simulator.instrument.rewrite import Counted, Key, Rewriter, applied, place_of, places
from simulator.ir.events import Build, Plan
from simulator.observe.counters.sites import KINDS
from simulator.program.load import DEFAULT_DEVICE, Folders, parse_options, program_of
from simulator.source import Source

COUNTING = Path(__file__).parent / "counting.cuh"


@dataclass(frozen=True)
class Instrumented:
    """A program that counts.

    Attributes
    ----------
    text : str
        CUDA C for NVRTC, or for the simulator; it includes nothing but CUDA's own headers.
    places : tuple of Counted
        What each row of its counters stands for, with the place in the sources as they were.
    merged : mapping
        For each kernel the rows of atomics that the compiler merges, and when; in the rewritten
        text it cannot.
    """

    text: str
    places: tuple[Counted, ...]
    merged: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @property
    def slots(self) -> int:
        """Numbers in the array `gb_counts`: for each place, those of each kind of memory."""
        return max(len(self.places), 1) * len(KINDS) * SLOTS


def flattened(code: str, name: str, options: Sequence[str]) -> Flat:
    """Return a CUDA C file with all that it includes, without macros and comments."""
    given = parse_options(tuple(options))
    return flatten(Source(code, name), given.defines, Folders(given.folders))


def instrumented(
    code: str,
    name: str = "<kernel>",
    options: Sequence[str] = (),
    *,
    cooperative: bool = False,
    name_expressions: Sequence[str] = (),
) -> Instrumented:
    r"""Rewrite a CUDA C file so that every access, branch and barrier is counted.

    Parameters
    ----------
    code : str
        The source text.
    name : str
        What to call it in messages; headers beside it are found.
    options : sequence of str
        As for `RawModule`.
    cooperative : bool
        Whether its kernels are launched cooperatively.
    name_expressions : sequence of str
        Instances of templates that will be launched.

    Raises
    ------
    CompileError
        If the program is not in the simulator's language.

    Examples
    --------
    >>> made = instrumented('extern "C" __global__ void f(int *a) {\n a[threadIdx.x] = 1; }')
    >>> made.text.splitlines()[-1]
    '(*gb_at(&(a [ threadIdx . x ]), 0, GB_GLOBAL)) = 1 ; }'
    """
    flat = flattened(code, name, options)
    kept = parse_options(tuple(option for option in options if option in DEFAULT_DEVICE))
    program = program_of(flat.source.text, "<kernel>", kept, tuple(name_expressions), cooperative)
    plans = {
        name: compile_kernel(kernel, viewed(kernel), Build()).plan
        for name, kernel in program.kernels.items()
    }
    found = places(site for plan in plans.values() for site in plan.sites)
    rewriter = Rewriter(found)
    body = applied(flat.source.text, flat.offset, rewriter.edits(program))
    head = f"#define GB_SITES {max(len(rewriter.rows), 1)}\n"
    parts = [COUNTING.read_text(encoding="utf-8"), *rewriter.tables, body]
    text = head + "\n".join(parts)
    rows = (replace(row, span=flat.origin(row.span)) for row in rewriter.rows)
    merged = {name: _merged(plan, found) for name, plan in plans.items()}
    merged |= {written: merged[name] for written, name in program.names.items()}
    return Instrumented(text, tuple(rows), merged)


def _merged(plan: Plan, found: Mapping[Key, Counted]) -> dict[int, str]:
    """Return the rows of a kernel's atomics that are merged."""
    atomics = [site for site in plan.sites if site.kind == "atomic" and site.merged]
    return {found[place_of(site.span), site.kind].number: site.merged for site in atomics}
