"""Findings: what sanitizers saw and did not raise, because it is harmless or was declared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from simulator.source import Span, render

TOO_LONG = "the launch is too long to tell whether its fences order them"
SAME_VALUE = "all of them write the same value"


@dataclass(frozen=True)
class Finding:
    """Something that a sanitizer saw and let pass.

    Attributes
    ----------
    kind : str
        Which sanitizer: race.
    message : str
        What happened, of one example.
    array : str
        The array, by the name that the source or the host gives it.
    reason : str
        Why it was let pass: a declaration, or that all wrote the same value.
    declared : bool
        Whether it was declared.
    spans : tuple of Span
        The two places in the source.
    count : int
        How many locations were met so, summed over launches.
    """

    kind: str
    message: str
    array: str
    reason: str
    declared: bool
    spans: tuple[Span, ...] = field(repr=False)
    count: int = 1

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two findings the same."""
        places = sorted((s.source.name, s.line, s.column) for s in self.spans)
        return (self.kind, self.array, self.declared, *places)

    @property
    def verdict(self) -> str:
        """Declared, harmless, or unsure."""
        if self.declared:
            return "declared"
        return "unsure" if self.reason == TOO_LONG else "harmless"

    def __str__(self) -> str:
        return render(f"{self.kind}, {self.verdict}", self.message, self.spans[0], self.reason)

    def as_dict(self) -> dict[str, object]:
        """Its facts, ready for JSON."""
        places = [
            {"line": s.line, "column": s.column, "text": s.text, "file": s.source.name}
            for s in self.spans
        ]
        names = ("kind", "message", "array", "reason", "declared", "count")
        return {name: getattr(self, name) for name in names} | {"places": places}


@dataclass
class Report:
    """What the sanitizers of one context saw and did not raise."""

    findings: list[Finding] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        """One more; those of the same places and array are counted together."""
        for at, known in enumerate(self.findings):
            if known.key == finding.key:
                self.findings[at] = replace(known, count=known.count + finding.count)
                return
        self.findings.append(finding)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or "nothing found"
