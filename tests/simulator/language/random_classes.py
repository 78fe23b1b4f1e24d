"""Random programs of classes, overloads, templates and lambdas, each with `double run(int i)`.

Statements have at most one side effect each, so that C++ leaves no order open; integers wrap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

INTEGERS = ("int", "unsigned", "short", "signed char", "long long")
NUMBERS = (*INTEGERS, "float", "double")
BITS = {"int": 32, "unsigned": 32, "short": 16, "signed char": 8}  # of bit fields at most
LEAST = 3  # how deep expressions are nested


@dataclass
class Made:
    """A class that was written: how it is called, and what it has."""

    name: str
    fields: list[str] = field(default_factory=list)
    arrays: list[tuple[str, int]] = field(default_factory=list)
    parts: list[tuple[str, Made]] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)  # const, take an int
    changes: list[str] = field(default_factory=list)  # take an int, return one
    chains: list[str] = field(default_factory=list)  # take an int, return *this
    operators: set[str] = field(default_factory=set)
    makes: list[str] = field(default_factory=list)  # how to make one: "@" stands for an int
    family: set[str] = field(default_factory=set)  # its name, and those of all its bases
    inherited: set[str] = field(default_factory=set)  # operators of its bases


class Writer:
    """A program that is being written."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.classes: list[Made] = []
        self.depth = 0
        self.ints: list[str] = ["i"]
        self.objects: list[tuple[str, Made]] = []
        self.callables: list[str] = []
        self.count = 0

    def fresh(self, front: str) -> str:
        self.count += 1
        return f"{front}{self.count}"

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    def put(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    # Expressions without side effects.

    def integer(self, deep: int = 0) -> str:
        """Return an expression that is an int."""
        if deep >= LEAST or self.chance(0.25):
            return self.rng.choice([*self.ints, str(self.rng.randrange(-9, 30))])
        simple = [self.sum, self.choice, self.division, self.comparison, self.cast]
        of_objects = [self.read, self.of_field, self.of_operator, self.of_overload]
        kinds = simple + (2 * of_objects if self.objects else [])
        kinds += [self.of_callable] * (2 * bool(self.callables))
        return self.rng.choice(kinds)(deep + 1)

    def sum(self, deep: int) -> str:
        op = self.rng.choice("+-*&|^")
        return f"({self.integer(deep)} {op} {self.integer(deep)})"

    def choice(self, deep: int) -> str:
        return f"({self.integer(deep)} > 3 ? {self.integer(deep)} : {self.integer(deep)})"

    def division(self, deep: int) -> str:
        return f"({self.integer(deep)} {self.rng.choice('/%')} {self.rng.randrange(2, 9)})"

    def comparison(self, deep: int) -> str:
        op = self.rng.choice(["<", "==", "!=", ">="])
        joint = self.rng.choice(["&&", "||"])
        return f"({self.integer(deep)} {op} {self.integer(deep)} {joint} {self.integer(deep)} > 2)"

    def cast(self, deep: int) -> str:
        kind = self.rng.choice(["short", "signed char", "unsigned char", "bool"])
        return f"(+({kind})({self.integer(deep)}))"

    def object(self) -> tuple[str, Made]:
        name, made = self.rng.choice(self.objects)
        while made.parts and self.chance(0.3):
            part, made = self.rng.choice(made.parts)
            name = f"{name}.{part}"
        return name, made

    def read(self, deep: int) -> str:
        name, made = self.object()
        if not made.reads:
            return self.of_field(deep)
        return f"{name}.{self.rng.choice(made.reads)}({self.integer(deep)})"

    def of_field(self, deep: int) -> str:
        name, made = self.object()
        if made.arrays and self.chance(0.5):
            array, length = self.rng.choice(made.arrays)
            at = f"({self.integer(deep)} & 0x7fff) % {length}"
            return f"int({name}.{array}[{at}])"
        return f"whole({name}.{self.rng.choice(made.fields)})" if made.fields else "1"

    def of_operator(self, deep: int) -> str:
        name, made = self.object()
        others = [n for n, m in self.objects if m is made]
        other = self.rng.choice(others) if others else name
        usable = sorted(made.operators - {"+=", "++"})
        if not usable:
            return self.read(deep)
        op = self.rng.choice(usable)
        if op == "[]":
            return f"int({name}[{self.integer(deep)}])"
        if op == "()":
            return f"{name}({self.integer(deep)}, {self.integer(deep)})"
        if op in ("==", "<"):
            return f"int({name} {op} {other})"
        if op == "int":
            return f"int({name})"
        whole = f"-{name}" if op == "neg" else f"{name} {op} {other}"
        return f"weigh({whole})"

    def of_overload(self, deep: int) -> str:
        name, _ = self.object()
        value = self.integer(deep)
        given = [name, value, f"(short)({value})", f"0.5 * ({value})", f"0.5f * ({value})"]
        return f"weigh({self.rng.choice(given)})"

    def of_callable(self, deep: int) -> str:
        return f"int({self.rng.choice(self.callables)}({self.integer(deep)}))"

    # Statements.

    def block(self, most: int, loops: bool = False) -> None:
        """Write statements in braces that have been opened."""
        before = list(self.ints), list(self.objects), list(self.callables)
        self.depth += 1
        for _ in range(self.rng.randrange(1, most + 1)):
            self.statement(loops)
        self.depth -= 1
        self.ints, self.objects, self.callables = before

    def statement(self, loops: bool) -> None:
        nested = self.depth < 5
        kinds = [self.declare, self.declare_object, self.change, self.change, self.change]
        kinds += [self.keep, self.by_pointer, self.declare_lambda]
        kinds += [self.branch, self.loop] if nested else []
        if loops and self.chance(0.15):
            word = self.rng.choice(["break;", "continue;"])
            self.put(f"if ({self.integer(1)} > 20) {word}")
            return
        self.rng.choice(kinds)()

    def declare(self) -> None:
        name = self.fresh("n")
        self.put(f"int {name} = {self.integer()};")
        self.ints.append(name)

    def made(self, made: Made) -> str:
        how = self.rng.choice(made.makes)
        while "@" in how:
            how = how.replace("@", self.integer(LEAST - 1), 1)
        return how

    def declare_object(self) -> None:
        if not self.classes:
            return self.keep()
        made = self.rng.choice(self.classes)
        name = self.fresh("o")
        same = [n for n, m in self.objects if m is made]
        if same and self.chance(0.3):
            self.put(f"{made.name} {name} = {self.rng.choice(same)};")
        elif same and self.chance(0.2):
            self.put(f"{made.name} &{name} = {self.rng.choice(same)};")
        elif self.chance(0.25):
            values = ", ".join(self.made(made) for _ in range(2))
            at = f"({self.integer(1)} & 1)"
            self.put(f"{made.name} {name}[2] = {{{values}}};")
            self.objects.append((f"{name}[1]", made))
            self.put(f"auto &{name}_ = {name}[{at}];")
            name = f"{name}_"
        else:
            self.put(f"{made.name} {name} = {self.made(made)};")
        self.objects.append((name, made))
        return None

    def change(self) -> None:
        """Write a statement that changes an object or a number."""
        if not self.objects:
            return self.keep()
        name, made = self.object()
        kinds = [*self.changes_of_members(name, made), *self.changes_of_whole(name, made)]
        self.put(self.rng.choice(kinds) if kinds else f"sum += {self.integer()};")
        return None

    def changes_of_members(self, name: str, made: Made) -> list[str]:
        kinds = []
        if made.changes:
            kinds += [f"sum += {name}.{self.rng.choice(made.changes)}({self.integer(1)});"] * 2
        if made.chains:
            calls = (f"{self.rng.choice(made.chains)}({self.integer(2)})" for _ in range(2))
            kinds.append(f"{name}.{'.'.join(calls)};")
        if made.fields:
            kinds.append(f"{name}.{self.rng.choice(made.fields)} = {self.integer()};")
        if made.arrays:
            array, length = self.rng.choice(made.arrays)
            at = f"({self.integer(1)} & 0x7fff) % {length}"
            kinds.append(f"{name}.{array}[{at}] += {self.integer(1)};")
        if "[]" in made.operators:
            kinds.append(f"{name}[{self.integer(1)}] = {self.integer(1)};")
        return kinds

    def changes_of_whole(self, name: str, made: Made) -> list[str]:
        kinds = []
        others = [n for n, m in self.objects if m is made]
        if others:
            other = self.rng.choice(others)
            kinds.append(f"{name} = {self.integer(1)} > 4 ? {name} : {other};")
            if "+=" in made.operators:
                kinds.append(f"{name} += {other};")
            if made.chains and self.chance(0.5):
                chain = self.rng.choice(made.chains)
                kinds.append(f"{name} = {self.made(made)}.{chain}({self.integer(2)});")
        if "++" in made.operators:
            kinds += [f"sum += weigh({name}++);", f"sum += weigh(++{name});"]
        return kinds

    def keep(self) -> None:
        self.put(f"sum = sum * 31 + {self.integer()};")

    def by_pointer(self) -> None:
        if not self.objects:
            return
        name, made = self.rng.choice(self.objects)
        pointer = self.fresh("p")
        self.put(f"{made.name} *{pointer} = &{name};")
        self.objects.append((f"(*{pointer})", made))

    def declare_lambda(self) -> None:
        name = self.fresh("f")
        kind = self.rng.randrange(5)
        kept = list(self.objects)
        if kind == 0:
            outer, self.ints = self.ints, [*self.ints, "x"]
            self.put(f"auto {name} = [=](int x) {{ return int({self.integer(1)}); }};")
            self.ints = outer
            self.callables.append(name)
        elif kind == 1:
            self.put(f"auto {name} = [&](auto x) -> int {{")
            outer, self.ints = self.ints, [*self.ints, "int(x)"]
            self.put(f"  if ({self.integer(1)} > 5) return {self.integer(1)};")
            self.put(f"  return {self.integer(1)};")
            self.put("};")
            self.ints = outer
            self.callables.append(name)
        elif kind == 2:
            start = self.integer(1)
            self.put(f"auto {name} = [s = {start}](int x) mutable {{ s = s * 3 + x; return s; }};")
            self.put(f"sum += {name}({self.integer(1)});")
            self.put(f"sum -= {name}({self.integer(1)});")
        else:
            self.put(f"auto {name} = [&](int x) -> int {{")
            outer, self.ints = self.ints, [*self.ints, "x"]
            self.block(3)
            self.ints = outer
            self.put(f"  if (x & 1) return {self.integer(2)};")
            self.put("  sum ^= x;")
            self.put("  return x;")
            self.put("};")
            self.put(f"sum += {name}({self.integer(1)});")
            self.put(f"sum += repeated({name}, {self.rng.randrange(1, 4)});")
        self.objects = kept

    def branch(self) -> None:
        self.put(f"if ({self.integer(1)} > {self.rng.randrange(-3, 9)}) {{")
        self.block(3)
        if self.chance(0.5):
            self.put("} else {")
            self.block(3)
        self.put("}")

    def loop(self) -> None:
        name = self.fresh("j")
        bound = f"({self.integer(1)} & 3) + {self.rng.randrange(1, 3)}"
        self.put(f"for (int {name} = 0, e{name} = {bound}; {name} < e{name}; {name}++) {{")
        self.ints.append(name)
        self.block(3, loops=True)
        self.ints.pop()
        self.put("}")

    # Classes.

    def inside(self, made: Made, lines: list[str]) -> None:
        """Write functions of a class, whose names are its members'."""
        before = self.ints, self.objects, self.callables, self.lines
        names = [f"whole({name})" for name in made.fields]
        self.ints, self.callables, self.lines = [*names, "x"], [], lines
        self.objects = [(name, part) for name, part in made.parts]
        self.functions(made)
        self.ints, self.objects, self.callables, self.lines = before

    def functions(self, made: Made) -> None:
        known = self.objects
        for _ in range(self.rng.randrange(1, 3)):
            name = self.fresh("read")
            self.objects = []
            early = f"if ({self.integer(1)} > 9) return {self.integer(1)}; " * self.chance(0.5)
            self.put(f"__device__ int {name}(int x) const {{ {early}return {self.integer()}; }}")
            made.reads.append(name)
            if self.chance(0.3):
                other = f"return x - {self.integer(1)};"
                self.put(f"__device__ int {name}(double x_) const {{ int x = int(x_); {other} }}")
        self.objects = known
        for _ in range(self.rng.randrange(1, 3)):
            self.put(f"__device__ int {(name := self.fresh('change'))}(int x) {{")
            self.put("  int sum = x;")
            self.block(4)
            if made.fields:
                self.put(f"  {self.rng.choice(made.fields)} += x;")
            self.put(f"  return sum ^ {self.integer(1)};")
            self.put("}")
            made.changes.append(name)
        if made.fields and self.chance(0.7):
            name, one = self.fresh("chain"), self.rng.choice(made.fields)
            early = f"if (x > {self.rng.randrange(9)}) return *this; " * self.chance(0.5)
            head = f"__device__ {made.name} &{name}(int x)"
            self.put(f"{head} {{ {early}{one} += {self.integer(1)}; return *this; }}")
            made.chains.append(name)
        self.operators(made)

    def operators(self, made: Made) -> None:
        name, first = made.name, made.fields[0] if made.fields else ""
        if not first:
            return
        friend = self.chance(0.3)
        plus = f"{{ {name} r = {{0}}; r.{first} = {{0}}.{first} * 2 + o.{first}; return r; }}"
        if self.chance(0.7) and friend:
            body = plus.replace("{0}", "a")
            self.put(f"friend __device__ {name} operator+(const {name} &a, const {name} &o) {body}")
        elif self.chance(0.7):
            body = plus.replace("{0}", "(*this)")
            self.put(f"__device__ {name} operator+(const {name} &o) const {body}")
        else:
            return
        made.operators.add("+")
        if self.chance(0.6):
            body = f"{{ {first} += o.{first} + 1; return *this; }}"
            self.put(f"__device__ {name} &operator+=(const {name} &o) {body}")
            made.operators.add("+=")
        if self.chance(0.5):
            body = f"{{ return {first} == o.{first}; }}"
            self.put(f"__device__ bool operator==(const {name} &o) const {body}")
            body = f"{{ return {first} < o.{first}; }}"
            self.put(f"__device__ bool operator<({name} o) const {body}")
            made.operators |= {"==", "<"}
        if self.chance(0.4):
            self.put(f"__device__ {name} &operator++() {{ {first} += 3; return *this; }}")
            body = f"{{ {name} old = *this; {first} -= 2; return old; }}"
            self.put(f"__device__ {name} operator++(int) {body}")
            made.operators.add("++")
        self.more_operators(made, name, first)

    def more_operators(self, made: Made, name: str, first: str) -> None:
        if self.chance(0.4):
            body = f"{{ {name} r = *this; r.{first} = -r.{first}; return r; }}"
            self.put(f"__device__ {name} operator-() const {body}")
            made.operators.add("neg")
        if made.arrays and self.chance(0.7):
            array, length = made.arrays[0]
            body = f"{{ return {array}[(x & 0x7fff) % {length}]; }}"
            self.put(f"__device__ int &operator[](int x) {body}")
            self.put(f"__device__ const int &operator[](int x) const {body}")
            made.operators.add("[]")
        if self.chance(0.4):
            body = f"{{ return x * 3 + y - whole({first}); }}"
            self.put(f"__device__ int operator()(int x, int y) const {body}")
            made.operators.add("()")
        if self.chance(0.3):
            self.put(f"__device__ explicit operator int() const {{ return whole({first}) + 1; }}")
            made.operators.add("int")

    def bases(self, made: Made) -> list[Made]:
        """Choose what a class inherits from: none of it twice."""
        made.family.add(made.name)
        found: list[Made] = []
        for base in self.rng.sample(self.classes, min(len(self.classes), 2)):
            operators = base.operators | base.inherited
            if self.chance(0.3) and not (base.family & made.family or operators & made.inherited):
                made.family |= base.family
                made.inherited |= operators
                found.append(base)
        return found

    def klass(self) -> None:
        """Write a class."""
        made = Made(self.fresh("C"))
        bases = self.bases(made)
        lines: list[str] = []
        words = [
            (self.rng.choice(NUMBERS), self.fresh("m")) for _ in range(self.rng.randrange(1, 4))
        ]
        for ctype, name in words:
            first = f" = {self.rng.randrange(9)}" if self.chance(0.4) else ""
            if ctype in BITS and self.chance(0.4):
                first = f" : {self.rng.randrange(1, BITS[ctype] + 1)}"
            lines.append(f"  {ctype} {name}{first};")
            made.fields.append(name)
        if self.chance(0.25):
            kinds, one, other = self.rng.sample(INTEGERS[:4], 2), self.fresh("u"), self.fresh("u")
            value = self.rng.randrange(-9, 99)
            lines.append(
                f"  union {{ {kinds[0]} {one}; {kinds[1]} {other}; int {one}_ = {value}; }};"
            )
            made.fields += [one, other, f"{one}_"]
        for _ in range(self.rng.randrange(2)):
            name, length = self.fresh("a"), self.rng.randrange(2, 5)
            lines.append(f"  int {name}[{length}] = {{{self.rng.randrange(9)}, 2}};")
            made.arrays.append((name, length))
        if self.classes and self.chance(0.4):
            part, name = self.rng.choice(self.classes), self.fresh("part")
            value = self.rng.choice(part.makes).replace("@", "2")
            lines.append(f"  {part.name} {name} = {value};")
            made.parts.append((name, part))
        self.constructors(made, words, bases, lines)
        for base in bases:
            made.reads += base.reads
            made.changes += base.changes
        self.depth = 1
        self.inside(made, lines)
        self.depth = 0
        front = f" : {', '.join(base.name for base in bases)}" if bases else ""
        self.lines += [f"struct {made.name}{front} {{", *lines, "};"]
        value = made.reads[0]
        self.put(f"__device__ int weigh(const {made.name} &o) {{ return o.{value}(3) + 7; }}")
        self.classes.append(made)

    def constructors(
        self, made: Made, words: list[tuple[str, str]], bases: list[Made], lines: list[str]
    ) -> None:
        name, (ctype, first) = made.name, words[0]
        of_base = ""
        for base in bases:
            value = self.rng.choice(base.makes).replace("@", "x")
            of_base += f"{base.name}({value}), " if value.startswith(base.name) else ""
        others = "".join(f", {n}(({t})(x + {k}))" for k, (t, n) in enumerate(words[1:]))
        early = "if (x > 5) return; " * self.chance(0.3)
        body = f"{{ {early}{first} += 2; }}"
        explicit = "explicit " * self.chance(0.3)
        lines.append(
            f"  __device__ {explicit}{name}(int x) : {of_base}{first}(({ctype})x){others} {body}"
        )
        made.makes.append(f"{name}(@)")
        if self.chance(0.5):
            head = f"{name}(int x, double y, int z = {self.rng.randrange(9)})"
            lines.append(f"  __device__ {head} : {name}(x + z) {{ {first} -= ({ctype})y; }}")
            made.makes += [f"{name}(@, 2.5)", f"{name}{{@, 1.0, 3}}"]
        if self.chance(0.3):
            copied = "".join(f", {n}(o.{n})" for _, n in words[1:])
            part = "".join(f"{base.name}(o), " for base in bases)
            more = "".join(f", {n}(o.{n})" for n, _ in made.parts)
            copy = f"{part}{first}(o.{first} + 1){copied}{more}"
            lines.append(f"  __device__ {name}(const {name} &o) : {copy} {{}}")
            lines.append(f"  {name} &operator=(const {name} &) = default;")


TEMPLATES = """\
__device__ int whole(double x) { return x < 1e6 && x > -1e6 ? int(x) : 7; }
__device__ int whole(float x) { return whole(double(x)); }
__device__ int whole(int x) { return x; }
__device__ int whole(unsigned x) { return x; }
__device__ int whole(long long x) { return x ^ x >> 32; }
template <typename T> __device__ int weigh(const T &x) { return int(x) * 5 + sizeof(T); }
__device__ int weigh(int x) { return x * 2 + 1; }
__device__ int weigh(double x) { return int(x) - 3; }
template <typename F> __device__ int repeated(F &f, int n) {
  int sum = 0;
  for (int k = 0; k < n; k++) sum = sum * 3 + f(k);
  return sum;
}
"""


def program(seed: int) -> str:
    """Return a program, always the same one for a seed."""
    writer = Writer(Random(seed))
    for _ in range(writer.rng.randrange(1, 5)):
        writer.klass()
    writer.put("__device__ double run(int i) {")
    writer.put("  int sum = i;")
    writer.ints = ["i", "sum"]
    writer.objects, writer.callables = [], []
    for _ in range(2):
        writer.depth = 1
        writer.declare_object()
    for _ in range(9):
        writer.statement(loops=False)
    for name, made in list(writer.objects):
        writer.put(f"sum = sum * 17 + weigh({name});")
        for one in made.fields:
            writer.put(f"sum = sum * 13 + whole({name}.{one});")
    writer.depth = 0
    writer.put("  return sum;")
    writer.put("}")
    return TEMPLATES + "\n".join(writer.lines) + "\n"
