"""Random programs of parameter packs, folds, constant functions and bindings: `double run(int i)`.

Integers stay small: in a constant expression nothing may overflow. Arguments of one call have no
side effects that meet, so that C++ leaves no order open.
"""

from __future__ import annotations

from random import Random

TYPES = ("int", "short", "unsigned char", "long", "float", "double")
#: Operators of folds.
FOLDED = ("+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", ",")


class Writer:
    """A program that is being written."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.body: list[str] = []
        self.constants: list[tuple[str, int]] = []  # constexpr functions, and how many they take
        self.variadic: list[str] = []
        self.listed: list[str] = []
        self.traits: list[str] = []
        self.forwarding: list[str] = []
        self.count = 0

    def fresh(self, front: str) -> str:
        self.count += 1
        return f"{front}{self.count}"

    def small(self, names: list[str], deep: int = 0) -> str:
        """Return an expression of ints between -99 and 99."""
        kind = self.rng.randrange(7 if deep < 3 else 2)
        if kind < 2:
            return self.rng.choice(names) if names and kind else str(self.rng.randrange(-9, 20))
        left, right = self.small(names, deep + 1), self.small(names, deep + 1)
        if kind == 2:
            op = self.rng.choice(["<", ">", "==", "!=", "<=", ">="])
            return f"({left} {op} {right} ? {self.small(names, deep + 1)} : {left})"
        if kind == 3 and self.constants:
            name, takes = self.rng.choice(self.constants)
            return f"{name}({', '.join(self.small(names, deep + 2) for _ in range(takes))})"
        if kind == 4:
            return f"({left} / {self.rng.choice([2, 3, -5, 7])})"
        if kind == 5:
            return f"(int)(({left} * 0.25f - {right}) * 0.5f)"
        op = self.rng.choice(["+", "-", "*", "&", "|", "^", "<<", ">>"])
        if op in ("<<", ">>"):
            return f"((({left} & 31) {op} ({right} & 3)) % 100)"
        return f"(({left} {op} {right}) % 100)"

    # Functions whose values are constants.

    def constant(self) -> None:
        name, takes = self.fresh("c"), self.rng.randrange(1, 4)
        names = [f"p{at}" for at in range(takes)]
        parameters = ", ".join(f"int {one}" for one in names)
        lines: list[str] = []
        if self.rng.random() < 0.3:
            rest = "".join(f", {self.small(names, 2)}" for _ in names[1:])
            lines.append(f"if (p0 > 0 && p0 < 20) return {name}(p0 - 1{rest});")
        lines += self.statements(names, 0)
        lines.append(f"return {self.small(names)};")
        self.lines += [f"__device__ constexpr int {name}({parameters}) {{", *lines, "}"]
        self.constants.append((name, takes))

    def statements(self, names: list[str], deep: int) -> list[str]:
        made: list[str] = []
        for _ in range(self.rng.randrange(1, 4)):
            made += self.statement(names, deep)
        return made

    def statement(self, names: list[str], deep: int) -> list[str]:
        kind, own = self.rng.randrange(7 if deep < 2 else 3), list(names)
        target = self.rng.choice(names)
        if kind == 0:
            local = self.fresh("v")
            names.append(local)
            return [f"int {local} = {self.small(own)};"]
        if kind == 1:
            return [f"{target} = {self.small(own)};"]
        if kind == 2:
            return [f"{target} = ({target} + {self.small(own, 2)}) % 100;"]
        return [self.branch, self.loop, self.array, self.switch][kind - 3](target, own, deep)

    def branch(self, target: str, names: list[str], deep: int) -> list[str]:
        test, inner = self.small(names, 1), self.statements(list(names), deep + 1)
        return [f"if ({test} > 3) {{", *inner, f"}} else {target} %= 7;"]

    def loop(self, target: str, names: list[str], deep: int) -> list[str]:
        at, end = self.fresh("j"), self.rng.randrange(1, 6)
        inner = "\n".join(self.statements([*names, at], deep + 1)).replace(
            f"{at} =", f"{names[0]} ="
        )
        leave = ["", f"if ({target} > 40) break;", f"if ({at} & 1) continue;"]
        head = f"for (int {at} = 0, n{at} = 0; n{at} < {end}; {at}++, n{at}++) {{"
        return [f"{head} {self.rng.choice(leave)}", inner, "}"]

    def array(self, target: str, names: list[str], deep: int) -> list[str]:
        array = self.fresh("t")
        values = ", ".join(self.small(names, 2) for _ in range(3))
        index = f"({self.small(names, 2)} & 3)"
        change = f"{array}[{index}] += {self.small(names, 2)};"
        return [f"int {array}[4] = {{{values}}};", change, f"{target} = {array}[{index}] % 100;"]

    def switch(self, target: str, names: list[str], deep: int) -> list[str]:
        cases = [
            f"case {at}: {target} = {self.small(names, 1)}; {self.rng.choice(['break;', ''])}"
            for at in range(3)
        ]
        return [f"switch ({self.small(names, 1)} & 3) {{", *cases, f"default: {target} -= 1; }}"]

    # Packs.

    def fold(self) -> None:
        name, op, first = self.fresh("f"), self.rng.choice(FOLDED), self.rng.randrange(4)
        pattern = f"({self.small(['(int)xs'], 1)} % 4)" if op == "*" else self.small(["(int)xs"], 1)
        pattern = pattern if "xs" in pattern else f"((int)xs + {pattern})"
        forms = [f"({pattern} {op} ...)", f"(... {op} {pattern})"]
        forms += [f"({pattern} {op} ... {op} {first})", f"({first} {op} ... {op} {pattern})"] * 2
        result = f"return {self.rng.choice(forms)};"
        if op == ",":
            change = self.rng.choice(["t += {}", "t = t * 2 % 100 - {}", "t ^= {}"]).format(pattern)
            result = f"int t = 1; (({change}), ...); return t;"
        head = self.rng.choice(["Ts... xs", "const Ts &...xs"])
        template = f"template <typename... Ts> __device__ double {name}({head})"
        self.lines.append(f"{template} {{ {result} }}")
        self.variadic.append(name)

    def recursion(self) -> None:
        name = self.fresh("r")
        step = self.rng.choice(["first - {}", "2 * first + {}", "sizeof(first) + {}", "{} - first"])
        rest = step.format(f"{name}(rest...)")
        if self.rng.random() < 0.5:
            self.lines.append(
                f"template <typename T> __device__ double {name}(T x) {{ return x; }}"
            )
            body = f"return {rest};"
        else:
            last = "if constexpr (sizeof...(rest) == 0) return first;"
            body = f"{last} else return {rest};"
        front = "template <typename T, typename... Rest> __device__ double"
        self.lines.append(f"{front} {name}(T first, Rest... rest) {{ {body} }}")
        self.variadic.append(name)

    def numbers(self) -> None:
        name = self.fresh("n")
        inner = self.rng.choice(self.variadic)
        ways = [
            "int t[] = {N..., 1}; return t[(i & 1) % sizeof...(N)];",
            "return ((N * i) + ... + 0);",
            "int t[sizeof...(N) + 1] = {(N + i)...}; return t[0] - t[sizeof...(N)];",
            "auto g = [=](auto... x) { return ((x - i) + ... + sizeof...(x)); }; return g(N...);",
            *[f"return {inner}(N...) + {inner}((N * i)..., i);"] * 3,
        ]
        body = self.rng.choice(ways)
        self.lines.append(f"template <int... N> __device__ double {name}(int i) {{ {body} }}")
        self.listed.append(name)

    def trait(self) -> None:
        name = self.fresh("S")
        step = self.rng.choice(["sizeof(T) + 2 * {}", "{} - sizeof(T)", "sizeof...(R) * 3 + {}"])
        rest = step.format(f"{name}<R...>::value")
        self.lines += [
            f"template <typename... Ts> struct {name} {{",
            f"  static constexpr int value = {self.small([])};\n}};",
            f"template <typename T, typename... R> struct {name}<T, R...> {{",
            f"  static constexpr int value = {rest};\n}};",
        ]
        self.traits.append(name)

    def forward(self) -> None:
        name = self.fresh("w")
        inner = self.rng.choice(self.variadic)
        body = f"((a += {self.rng.randrange(1, 4)}), ...); return {inner}(static_cast<A &&>(a)...);"
        self.lines.append(
            f"template <typename... A> __device__ double {name}(A &&...a) {{ {body} }}"
        )
        self.forwarding.append(name)

    # What the program does.

    def use(self) -> None:
        kinds = [self.call, self.list_of_numbers, self.types, self.length, self.test, self.bound]
        kinds += [self.bound_array, self.forwarded, self.assertion]
        self.body.append(f"found += {self.rng.choice(kinds)()};")

    def call(self) -> str:
        given = ", ".join(self.argument() for _ in range(self.rng.randrange(1, 5)))
        return f"{self.rng.choice(self.variadic)}({given})"

    def list_of_numbers(self) -> str:
        numbers = ", ".join(f"({self.small([])})" for _ in range(self.rng.randrange(1, 5)))
        return f"{self.rng.choice(self.listed)}<{numbers}>(i)"

    def types(self) -> str:
        types = ", ".join(self.rng.choice(TYPES) for _ in range(self.rng.randrange(4)))
        return f"{self.rng.choice(self.traits)}<{types}>::value"

    def length(self) -> str:
        name = self.fresh("k")
        self.body.append(f"constexpr int {name} = {self.small([])};")
        self.body.append(f"int a{name}[({name} & 7) + 2] = {{i, {name}}};")
        return f"a{name}[i % (({name} & 7) + 2)] + sizeof(a{name})"

    def test(self) -> str:
        test = f"if constexpr ({self.small([])} > 2)"
        self.body.append(f"{test} found += 1; else found -= i;")
        return self.small(["i"])

    def bound(self) -> str:
        name = self.fresh("b")
        made = f"Pair{{{self.small(['i'])}, {self.small(['i'])} * 0.5f}}"
        self.body.append(f"auto [{name}x, {name}y] = {made};")
        return f"{name}x + {name}y"

    def bound_array(self) -> str:
        name = self.fresh("m")
        self.body.append(f"int {name}[2] = {{{self.small(['i'])}, i}};")
        self.body.append(f"auto &[{name}x, {name}y] = {name}; {name}x -= i; {name}y += {name}x;")
        return f"{name}[0] + {name}[1]"

    def forwarded(self) -> str:
        name = self.fresh("x")
        self.body.append(f"int {name} = i; short {name}s = 3;")
        self.body.append(f"found += {self.rng.choice(self.forwarding)}({name}, {name}s);")
        return f"{name} - {name}s"

    def assertion(self) -> str:
        self.body.append(f'static_assert(({self.small([])}) > -1000, "");')
        return f"(i == ({self.small([])}) ? 5 : {self.small(['i'])})"

    def argument(self) -> str:
        return f"({self.rng.choice(TYPES)})({self.small(['i'])})"


def program(seed: int) -> str:
    """Return the program of a seed."""
    writer = Writer(Random(seed))
    writer.lines.append("struct Pair { int x; float y; };")
    for _ in range(3):
        writer.constant()
    for step in (writer.fold, writer.recursion, writer.numbers, writer.trait, writer.forward):
        for _ in range(2):
            step()
    for _ in range(3):
        writer.fold()
    for _ in range(10):
        writer.use()
    run = [
        "__device__ double run(int i) {",
        "double found = 0;",
        *writer.body,
        "return found;",
        "}",
    ]
    return "\n".join([*writer.lines, *run, ""])
