"""Traces whose steps are known, for pages and files."""

from __future__ import annotations

from rich.text import Text

import simulator
from gpubfs.show.traces import LaunchTrace, of_launches

COLOURS = "red", "bold yellow on blue", "reverse", "dim italic", "", "underline strike"


def styled(text: str) -> Text:
    """Every word in another style."""
    line = Text()
    for number, word in enumerate(text.split(" ")):
        line.append(" " if number else "").append(word, style=COLOURS[number % len(COLOURS)])
    return line


class Told:
    """Frames as they are told, of which pictures and texts are made."""

    def __init__(self, frames: list[list[Text]], levels: tuple[int, ...] = (0,)) -> None:
        self.title = "told <b>by</b> 'a' \"test\" & {braces}"
        self.frames = frames
        self.levels = levels
        self.tracks = ()

    def __len__(self) -> int:
        return len(self.frames)

    def frame(self, at: int, width: int, height: int) -> list[Text]:
        return self.frames[at][:height]

    def onward(self, at: int) -> int:
        return min(at + 1, len(self) - 1)

    def back(self, at: int) -> int:
        return max(at - 1, 0)

    def next_level(self, at: int) -> int:
        return min((level for level in self.levels if level > at), default=len(self) - 1)

    def previous_level(self, at: int) -> int:
        return max((level for level in self.levels if level < at), default=0)

    def at_line(self, at: int, line: int) -> int | None:
        return None

    def next_warp(self) -> str:
        return "no warps"


def told(steps: int = 10, levels: tuple[int, ...] = (0, 4, 7)) -> Told:
    """Frames that say which step they are, with what a frame is drawn of."""
    boxes = ["┌───┬──╮ █▌░▒▓ ■□·▲●○→↳×", "│   │  │", "└───┴──╯"]
    source = "if (a < b && c > d) printf(\"</script><!-- %d\\n\", 'x');"
    return Told(
        [
            [styled(f"step number {at} </script> & {source}"), *map(Text, boxes)]
            for at in range(steps)
        ],
        levels,
    )


TITLE = "told <b>by</b> 'a' \"test\" & {braces}"
HOSTILE = "</script><script>alert(1)</script> <!-- {{title}} {{data}} &lt; \\u003c ]]> ' onload='x'"


def counting(launches: int = 3, title: str = TITLE, comment: str = HOSTILE) -> LaunchTrace:
    """A trace of launches of four, three, three… statements: with three of them ten steps.

    Statements write and add up; the source has a comment that HTML could take for its own.
    """
    code = f"""extern "C" __global__ void four(int *a, int *sum) {{  // {comment}
  int i = threadIdx.x;
  a[i] = 10 * i;
  if (i < 2) {{
    atomicAdd(sum, a[i]);
  }}
}}
extern "C" __global__ void three(int *a, int *sum) {{
  int i = threadIdx.x;
  int next = a[3 - i];
  a[i] = next + 1;
}}
"""
    with simulator.Device("toy4"), simulator.tracing() as found:
        module = simulator.RawModule(code=code)
        arrays = simulator.zeros(4, "int32"), simulator.zeros(1, "int32")
        for kernel in ["four", *["three"] * (launches - 1)]:
            module.get_function(kernel)((1,), (4,), arrays)
    return of_launches(found.launches, title)
