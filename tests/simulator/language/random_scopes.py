"""Random blocks, loops and switches with objects whose destructors note when they end."""

from __future__ import annotations

from random import Random

CLASSES = """\
struct Log {
  unsigned text = 1;
  __device__ void note(int digit) { text = text * 31 + digit; }
};
struct Guard {
  Log &log;
  int id;
  __device__ Guard(Log &log, int id) : log(log), id(id) { log.note(id); }
  __device__ ~Guard() {
    if (id % 7 == 3) { log.note(5); return; }
    log.note(id + 3);
  }
  __device__ int get() const { return id % 10; }
  __device__ Guard &add(int by) { id += by; return *this; }
};
struct Both : Guard {
  Guard inner;
  __device__ Both(Log &log, int id) : Guard(log, id), inner(log, id * 2) {}
};
struct Holder {
  int n;
  Guard first, second;
};
__device__ int use(const Guard &guard) { return guard.id + int(guard.log.text % 5); }
"""


class Scopes:
    """Functions that are being written."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.functions: list[str] = []
        self.guards: list[str] = []

    def fresh(self, front: str) -> str:
        self.count += 1
        return f"{front}{self.count}"

    def put(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def number(self) -> str:
        return self.rng.choice(
            ["i", "sum", str(self.rng.randrange(20)), f"i + {self.rng.randrange(9)}", "sum % 11"]
        )

    def guard(self) -> str:
        """Return a temporary."""
        makers = [one for one in self.functions if one.startswith("make")]
        known = makers and self.rng.random() < 0.15
        return f"{self.rng.choice(makers) if known else 'Guard'}(log, {self.number()})"

    def block(self, most: int, inside: str, keyword: str) -> None:
        """Write statements in braces that have been opened; `inside` are words that may leave."""
        outer = list(self.guards)
        self.depth += 1
        for _ in range(self.rng.randrange(1, most + 1)):
            self.statement(inside, keyword)
        self.depth -= 1
        self.guards = outer

    def statement(self, inside: str, keyword: str) -> None:
        kinds = [self.declare, self.declare, self.evaluate, self.evaluate, self.change]
        kinds += [self.branch, self.loop, self.switch, self.nested] if self.depth < 4 else []
        if self.rng.random() < 0.15:
            words = [*inside.split(), keyword.replace("@", f"sum + {self.number()}")]
            self.put(f"if ({self.test()}) {self.rng.choice(words)};")
            return
        kind = self.rng.choice(kinds)
        if kind in (self.branch, self.switch, self.nested, self.loop):
            kind(inside, keyword)
        else:
            kind()

    def test(self) -> str:
        return f"({self.number()}) % {self.rng.randrange(2, 6)} == {self.rng.randrange(2)}"

    def declare(self) -> None:
        name = self.fresh("g")
        ctype = self.rng.choice(["Guard", "Guard", "Both"])
        kind = self.rng.randrange(6)
        if kind == 0:
            values = ", ".join(f"{{log, {self.number()}}}" for _ in range(2))
            self.put(f"Guard {name}[2] = {{{values}}};")
            name = f"{name}[{self.rng.randrange(2)}]"
        elif kind == 1:
            self.put(f"const Guard &{name}_ = {self.guard()};")
            self.put(f"sum += {name}_.get();")
            return
        elif kind == 2:
            first = f"Guard(log, {self.number()})"
            self.put(f"Holder {name}{{{self.number()}, {first}, {{log, 4}}}};")
            name = f"{name}.second"
        elif kind == 3:
            self.put(f"Guard {name} = {self.test()} ? {self.guard()} : {self.guard()};")
        else:
            self.put(f"{ctype} {name}(log, {self.number()});")
        self.guards.append(name)

    def evaluate(self) -> None:
        kinds = [f"sum += use({self.guard()});", f"sum += {self.guard()}.get();"]
        kinds += [f"{self.guard()};", f"sum ^= {self.guard()}.add({self.number()}).get();"]
        others = [one for one in self.functions if one.startswith("f")]
        if others and self.rng.random() < 0.1:
            kinds = [f"sum += {self.rng.choice(others)}(log, {self.number()});"]
        self.put(self.rng.choice(kinds))

    def change(self) -> None:
        if self.guards:
            self.put(f"{self.rng.choice(self.guards)}.add({self.number()});")
        self.put("log.note(sum % 17);")

    def branch(self, inside: str, keyword: str) -> None:
        tests = [self.test(), f"{self.guard()}.get() > 4", f"use({self.guard()}) & 1"]
        self.put(f"if ({self.rng.choice(tests)}) {{")
        self.block(3, inside, keyword)
        if self.rng.random() < 0.5:
            self.put("} else {")
            self.block(3, inside, keyword)
        self.put("}")

    def nested(self, inside: str, keyword: str) -> None:
        self.put("{")
        self.block(3, inside, keyword)
        self.put("}")

    def loop(self, inside: str, keyword: str) -> None:
        name, bound = self.fresh("j"), self.rng.randrange(2, 5)
        kind = self.rng.randrange(3)
        if kind == 0:
            self.put(f"for (int {name} = 0; {name} < {bound}; {name}++) {{")
        elif kind == 1:
            self.put(f"for (Guard {name}(log, 0); {name}.id < {bound * 3}; {name}.add(3)) {{")
        else:
            self.put(f"int {name} = 0;")
            self.put("do {")
        self.block(3, "break continue", keyword)
        self.put("}" if kind < 2 else f"}} while (++{name} < {bound});")

    def switch(self, inside: str, keyword: str) -> None:
        selectors = [f"(i + {self.rng.randrange(9)}) % 3", f"{self.guard()}.get() % 3"]
        self.put(f"switch ({self.rng.choice(selectors)}) {{")
        words = "break continue" if "continue" in inside else "break"
        for label in self.rng.sample(["case 0:", "case 1:", "default:"], 2):
            self.put(f"{label} {{")
            self.block(2, words, keyword)
            self.put("}")
            if self.rng.random() < 0.5:
                self.put("break;")
        self.put("}")

    def function(self) -> None:
        makes = self.rng.random() < 0.4
        name = self.fresh("make" if makes else "f")
        result, keyword = ("Guard", "return Guard(log, @)") if makes else ("int", "return @")
        self.lines.append(f"__device__ {result} {name}(Log &log, int i) {{")
        self.lines.append("  int sum = i;")
        self.depth, self.guards = 0, []
        self.block(4, "", keyword)
        self.lines.append("  " + keyword.replace("@", "sum") + ";")
        self.lines.append("}")
        self.functions.append(name)


def program(seed: int) -> str:
    """Return a program with `double run(int i)`, always the same one for a seed."""
    found = Scopes(Random(seed))
    for _ in range(3):
        found.function()
    calls = "".join(
        f"  sum += {name}(log, i + {at}){'.get()' * name.startswith('make')};\n"
        for at, name in enumerate(found.functions)
    )
    last = f"__device__ double run(int i) {{\n  Log log;\n  int sum = 0;\n{calls}"
    return "\n".join([CLASSES, *found.lines, last + "  return log.text + sum * 0.5;\n}", ""])
