"""Random structures, unions, bit fields and bases, whose layouts and bytes compilers agree on."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

INTEGERS = ("char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long")
#: No bool, of which there are but two in C++, whatever a union has written.
NUMBERS = (*INTEGERS, "float", "double", "unsigned long long")
WIDTHS = {"char": 8, "bool": 1, "short": 16, "int": 32, "unsigned": 32, "long": 64}


@dataclass
class Made:
    """A type that was written: its name, and paths to numbers in it (to bit fields: `bits`)."""

    name: str
    numbers: list[str] = field(default_factory=list)
    bits: list[str] = field(default_factory=list)
    is_union: bool = False
    empty: bool = False
    is_plain: bool = True
    family: set[str] = field(default_factory=set)  # its name, and those of all its bases

    @property
    def paths(self) -> list[str]:
        """All numbers, bit fields among them."""
        return [*self.numbers, *self.bits]


class Layouts:
    """Types that are being written."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.types: list[Made] = []
        self.count = 0

    def fresh(self, front: str) -> str:
        self.count += 1
        return f"{front}{self.count}"

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    def width(self, ctype: str) -> int:
        words = ctype.split()
        word = words[-1] if words[-1] in ("char", "short", "bool") else words[0]
        if words[-1] == "long" or "long" in words:
            word = "long"
        return self.rng.choice([1, WIDTHS[word], self.rng.randrange(1, WIDTHS[word] + 1)])

    def member(self, made: Made, lines: list[str], nested: bool = False) -> None:
        kind = self.rng.random()
        name = self.fresh("m")
        usable = [one for one in self.types if not (made.is_union and one.empty)]
        usable = [one for one in usable if one.is_plain or not nested]
        if kind < 0.35:
            ctype = self.rng.choice((*INTEGERS, "bool", "unsigned long long"))
            if self.chance(0.15):
                width = 0 if self.chance(0.5) else self.width(ctype)
                lines.append(f"{ctype} : {width};")
                return
            lines.append(f"{ctype} {name} : {self.width(ctype)};")
            made.bits.append(name)
        elif kind < 0.55 or not usable:
            lines.append(f"{self.rng.choice(NUMBERS)} {name};")
            made.numbers.append(name)
        elif kind < 0.68:
            length = self.rng.randrange(1, 4)
            lines.append(f"{self.rng.choice(NUMBERS)} {name}[{length}];")
            made.numbers.append(f"{name}[{self.rng.randrange(length)}]")
        elif kind < 0.85 and not nested:
            inner = Made("", is_union=self.chance(0.7) or made.is_union)
            word = "union" if inner.is_union else "struct"
            body: list[str] = []
            for _ in range(self.rng.randrange(1, 4)):
                self.member(inner, body, nested=True)
            if not inner.paths:
                return
            lines.append(f"{word} {{ {' '.join(body)} }};")
            made.numbers += inner.numbers
            made.bits += inner.bits
        else:
            part = self.rng.choice(usable)
            array = f"[{self.rng.randrange(1, 3)}]" if self.chance(0.3) else ""
            lines.append(f"{part.name} {name}{array};")
            made.is_plain &= part.is_plain
            first = f"{name}[0]" if array else name
            made.numbers += [f"{first}.{path}" for path in part.numbers]
            made.bits += [f"{first}.{path}" for path in part.bits]

    def type(self) -> None:
        made = Made(self.fresh("T"), is_union=self.chance(0.25))
        made.family.add(made.name)
        lines: list[str] = []
        members = 0 if self.chance(0.1) else self.rng.randrange(1, 6)
        for _ in range(members):
            self.member(made, lines)
        front = ""
        if not made.is_union:
            front = self.bases(made)
        word = "union" if made.is_union else "struct"
        if not made.paths and made.is_union:
            return
        made.empty = not made.paths
        align = f"alignas({self.rng.choice([4, 8, 16])}) " * self.chance(0.12)
        if not made.is_union and self.chance(0.4):
            made.is_plain = False
            lines.append(f"{made.name}() = default; __device__ explicit {made.name}(int *) {{}}")
        self.lines.append(f"{word} {align}{made.name}{front} {{ {' '.join(lines)} }};")
        self.types.append(made)

    def bases(self, made: Made) -> str:
        usable = [one for one in self.types if not one.is_union]
        count = self.rng.choice([0, 0, 1, 1, 2]) if usable else 0
        chosen: list[Made] = []
        for one in self.rng.sample(usable, min(count, len(usable))):
            if not one.family & made.family:
                chosen.append(one)
                made.family |= one.family
                made.is_plain = False
        made.numbers += [path for one in chosen for path in one.numbers]
        made.bits += [path for one in chosen for path in one.bits]
        return f" : {', '.join(one.name for one in chosen)}" if chosen else ""


def layouts(seed: int) -> Layouts:
    """Return some types, always the same ones for a seed."""
    found = Layouts(Random(seed))
    for _ in range(6):
        found.type()
    return found


def program(seed: int) -> str:
    """Return types with functions that tell their sizes, places and what is where.

    `__device__ void bytes(unsigned char *to, int i)` writes members of objects of them, and their
    bytes; an object begins with zeros.
    """
    found = layouts(seed)
    rng, lines = found.rng, []
    for number, made in enumerate(found.types):
        name = f"o{number}"
        lines += [f"{made.name} {name}, {name}c;", f"clear(&{name}, sizeof({name}));"]
        for _ in range(6 if made.paths else 0):
            path, other = rng.choice(made.paths), rng.choice(made.paths)
            value = f"(i * {rng.randrange(1, 1 << 20)} + {rng.randrange(99)})"
            sign = rng.choice(["=", "=", "+=", "^=", "|="])
            is_float = "="  # members may be floats or bool, of which there are only assignments
            sign = sign if path in made.bits and other in made.bits else is_float
            lines.append(f"{name}.{path} {sign} small({value} + small({name}.{other}));")
        lines.append(f"{name}c = {name};")
        lines += [f"total += {number + 1} * small({name}c.{path});" for path in made.paths[:6]]
        lines.append(f"put(to, at, &{name}, sizeof({made.name}));")
    return "\n".join([HELPERS, *found.lines, FRONT, *("  " + one for one in lines), BACK])


HELPERS = """\
__device__ void clear(void *p, int n) { for (int k = 0; k < n; k++) ((char *)p)[k] = 0; }
__device__ void put(unsigned char *to, int &at, const void *p, int n) {
  for (int k = 0; k < n; k++) to[at++] = ((const unsigned char *)p)[k];
  to[at++] = n;
}
__device__ int small(double x) { return x < 1e6 && x > -1e6 ? int(x) : 7; }
__device__ int small(float x) { return small(double(x)); }
__device__ int small(long long x) { return int(x % 100003); }
__device__ int small(unsigned long long x) { return int(x % 100003); }
__device__ int small(unsigned x) { return int(x % 100003); }
__device__ int small(int x) { return x % 100003; }"""
FRONT = """\
__device__ void bytes(unsigned char *to, int i) {
  int at = 0, total = i;"""
BACK = """\
  put(to, at, &total, 4);
}"""
