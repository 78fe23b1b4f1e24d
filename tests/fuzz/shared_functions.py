"""Device functions with shared variables of their own, which a block calls from several places.

What one call leaves there the next one finds. They hold numbers, structures with padding, or two
arrays of which a pointer is chosen. They are put into a finished program from a random stream of
their own, so that the rest of it is what its seed made without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Any

from tests.reference.blocks import BlockCall
from tests.reference.expressions import Expr, Literal, Thread, Variable, read, write
from tests.reference.program import Global, Kernel, Program
from tests.reference.statements import Body, Function, Parameter, Run
from tests.reference.types import INT, UINT

#: The array in which threads leave what such functions returned: one cell each.
LEFT = "fx"
#: As many as a block of fuzzed programs has threads at most.
MOST = 128
BITS = (1 << 32) - 1
PARAMETERS = "unsigned int x, int tid, int T, int first, unsigned int *mine"
GIVEN = "tid, T, {first}, fx + gid"

#: What a function does with its variables: to its thread's part, and then what it gives back.
BODIES = {
    "plain": """__shared__ V kept[{most}];
  kept[tid] = first ? x : kept[tid] * 3u + x;
  __syncthreads();
  V y = kept[(tid + 1) % T];""",
    "padded": """__shared__ {name}_P kept[{most}];
  if (first) { kept[tid].b = (unsigned char)x; kept[tid].a = x; kept[tid].c.z = 1; }
  {name}_P old = kept[tid];
  {name}_P now = { old.a * 3u + x, (unsigned char)(old.b + x), { (unsigned short)(old.c.z + 1) } };
  kept[tid] = now;
  __syncthreads();
  {name}_P other = kept[(tid + 1) % T];
  V y = other.a + other.b * 5u + other.c.z;""",
    "chosen": """__shared__ V one[{most}];
  __shared__ V two[{most}];
  if (first) { one[tid] = x; two[tid] = x + 9u; }
  V *own = x & 1 ? one : two;
  own += tid;
  *own = *own * 3u + x;
  __syncthreads();
  const V *both[2] = { one, two };
  const V *p = x & 2 ? both[x >> 2 & 1] : mine;
  if (x & 2) p += (tid + 1) % T;
  V y = *p;""",
}


def plain(t: Thread, name: str, x: int, first: bool) -> Iterator[Any]:
    """The thread's side of one call; gives what it returns."""
    kept = t.statics.setdefault(name, {})
    tid, threads = t.known("tid"), t.known("T")
    kept[tid] = x if first else kept[tid] * 3 + x & BITS
    yield []
    return kept[(tid + 1) % threads]


def padded(t: Thread, name: str, x: int, first: bool) -> Iterator[Any]:
    kept = t.statics.setdefault(name, {})
    tid, threads = t.known("tid"), t.known("T")
    a, b, c = (x, x & 255, 1) if first else kept[tid]
    kept[tid] = (a * 3 + x & BITS, b + x & 255, c + 1 & 65_535)
    yield []
    a, b, c = kept[(tid + 1) % threads]
    return a + b * 5 + c & BITS


def chosen(t: Thread, name: str, x: int, first: bool) -> Iterator[Any]:
    kept = t.statics.setdefault(name, {})
    tid, threads = t.known("tid"), t.known("T")
    if first:
        kept[1, tid], kept[0, tid] = x, x + 9 & BITS
    kept[x & 1, tid] = kept[x & 1, tid] * 3 + x & BITS
    yield []
    if x & 2:
        return kept[1 - (x >> 2 & 1), (tid + 1) % threads]
    return left(t)


RUNS: dict[str, Callable[[Thread, str, int, bool], Iterator[Any]]] = {
    "plain": plain,
    "padded": padded,
    "chosen": chosen,
}


def left(t: Thread, value: int | None = None) -> int:
    """The thread's cell of `LEFT`, after writing `value` there."""
    storage, start = read(t.frame[LEFT])
    place = storage, start + t.known("gid")
    if value is not None:
        write(place, value)
    return int(read(place))


@dataclass
class SharedFunction(Function):
    """A function with shared variables, and one that calls it twice."""

    kind: str = "plain"
    template: bool = False

    def lines(self) -> list[str]:
        body = BODIES[self.kind].replace("{most}", str(MOST)).replace("{name}", self.name)
        made = []
        if self.kind == "padded":
            made.append(f"struct {self.name}_Q {{ unsigned short z; }};")
            members = f"unsigned int a; unsigned char b; {self.name}_Q c;"
            made.append(f"struct __align__(16) {self.name}_P {{ {members} }};")
        head = "template <typename V> __device__ V" if self.template else "__device__ unsigned int"
        made.append(f"{head} {self.name}({PARAMETERS})")
        known = [] if self.template else ["  typedef unsigned int V;"]
        made += ["{", *known, f"  {body}", "  __syncthreads();", "  return y;", "}"]
        call = f"{self.called}(%s, tid, T, 0, mine)"
        made.append(f"__device__ unsigned int {self.name}_twice({PARAMETERS})")
        made += [f"{{ unsigned int y = {call % 'x'}; return y ^ {call % '(y + x)'}; }}"]
        return made

    @property
    def called(self) -> str:
        return f"{self.name}<unsigned int>" if self.template else self.name


@dataclass
class SharedCalls(BlockCall):
    """Calls of a `SharedFunction` by a whole block: the first one sets what the others find.

    `turns` of a loop call it, then the function that calls it twice; what they give goes to `LEFT`.
    The first of `arguments` is the value, the others are what is used besides.
    """

    called: str = ""
    kind: str = "plain"
    turns: int = 0

    @property
    def value(self) -> Expr:
        return self.arguments[0]

    def lines(self) -> list[str]:
        name, last = self.name, GIVEN.format(first=0)
        return [
            f"unsigned int {name} = (unsigned int){self.value.c()} + tid;",
            f"{name} ^= {self.called}({name}, {GIVEN.format(first=1)});",
            f"for (int i = 0; i < {self.turns}; i++)"
            f" {name} = {name} * 7u + {self.called}({name} + i, {last});",
            f"{name} += {self.function}_twice({name}, {last});",
            f"{LEFT}[gid] = {LEFT}[gid] * 31u + {name};",
        ]

    def run(self, t: Thread) -> Run:
        x = UINT.convert(self.value.eval(t), self.value.type) + t.known("tid") & BITS
        x ^= yield from self.call(t, x, True)
        for i in range(self.turns):
            x = x * 7 + (yield from self.call(t, x + i & BITS)) & BITS
        y = yield from self.call(t, x)
        y ^= yield from self.call(t, y + x & BITS)
        left(t, left(t) * 31 + x + y & BITS)
        t.step(self)
        return None

    def call(self, t: Thread, x: int, first: bool = False) -> Any:
        found = yield from RUNS[self.kind](t, self.function, x, first)
        yield []
        return found


def with_shared_functions(program: Program, seed: int) -> Program:
    """The program, perhaps with such functions and their calls."""
    random = Random(f"shared functions {seed}")
    if random.randrange(3) == 0:
        return program
    functions = [made(f"z{at}", random) for at in range(random.randint(1, 2))]
    threads = max(prod(k.grid) * prod(k.block) for k in program.kernels)
    program.arrays[LEFT] = Global(UINT, threads, random.randint(0, 99))
    program.functions += functions
    for kernel in program.kernels:
        _put(kernel, functions, random)
    return program


def made(name: str, random: Random) -> SharedFunction:
    """A random function."""
    parameters = [Parameter(UINT, "x")]
    kind, template = random.choice(sorted(BODIES)), random.randrange(3) == 0
    return SharedFunction(name, None, parameters, Body([]), kind, template)


def _put(kernel: Kernel, functions: list[SharedFunction], random: Random) -> None:
    """Calls between the phases of a kernel, where the whole block comes."""
    kernel.arrays[LEFT] = False
    for at in range(random.randint(1, 3)):
        function = random.choice(functions)
        value = random.choice([Variable(INT, "gid"), Literal(INT, random.randrange(99))])
        uses = [Variable(INT, n) for n in ("tid", "gid", "T")]
        arguments = [value, *uses, Variable(UINT, LEFT)]
        facts = function.called, function.kind, random.randint(0, 2)
        calls = SharedCalls(UINT, f"y{at}", function.name, arguments, *facts)
        place = random.randrange(len(kernel.body.statements))
        kernel.body.statements.insert(place, calls)
