"""One idiom of real kernels, with a twin that breaks it.

What is in «» is what makes it correct, what is in «!» stands there instead in the broken twin. All
have `int *a`, `volatile int *v` and `unsigned long long *w`, full of zeros, and the first thread of
a block is `first`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.sanitize.machine import versions


@dataclass(frozen=True)
class Idiom:
    """A kernel's body, its launch, what stands before it, and the elements that its twin races on.

    `race` is a pattern of their names.
    """

    body: str
    race: str
    grid: int = 1
    block: int = 32
    before: str = ""

    def versions(self) -> tuple[str, str]:
        """The correct kernel and its broken twin."""
        right, wrong = versions(f"{self.before}\1{self.body}")
        return self._kernel(right), self._kernel(wrong)

    def _kernel(self, text: str) -> str:
        before, body = text.split("\1")
        return (
            f"{before}\n"
            'extern "C" __global__ void k(int *a, volatile int *v, unsigned long long *w) {\n'
            "  int t = threadIdx.x;\n"
            "  bool first = t == 0;\n"
            f"{body}\n}}\n"
        )
