"""From a seed to a program without races: kernels launched one after another over shared arrays.

Within a kernel a global array has one role: it is only read; every thread has cells of its own;
every block has a piece that its threads use in phases; or atomics of one commuting family change
it. So whatever the order of threads, a correct machine leaves the same bytes.
"""

from __future__ import annotations

from math import prod
from random import Random

from tests.fuzz.expressions import Var
from tests.fuzz.messages import with_messages
from tests.fuzz.phases import Block, Phases
from tests.fuzz.shared_functions import with_shared_functions
from tests.fuzz.statements import Context
from tests.reference import statements as st
from tests.reference.exchanges import Fill, Phase
from tests.reference.program import Extent, Global, Kernel, Program, Shared
from tests.reference.types import (
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULLONG,
    Type,
)

BLOCKS: tuple[Extent, ...] = (
    *((n, 1, 1) for n in (32, 64, 33, 7, 96, 128, 1)),
    *((16, 4, 1), (5, 13, 1), (8, 4, 2), (10, 5, 1), (3, 3, 11)),
)
GRIDS: tuple[Extent, ...] = ((1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1), (5, 1, 1), (1, 3, 1))
STORED = (INT, INT, UINT, UINT, LLONG, ULLONG, SHORT, UCHAR, SCHAR, FLOAT, DOUBLE)
#: Arrays of UINT for what threads draw, claim, mark and leave: name, length and first values.
COMMON = {"tk": (8, 0), "cl": (16, 2), "mk": (48, 0), "sx": (4, 1), "sa": (4, 0)}
#: Arrays of UINT for what blocks leave to the last of them.
LAST = {"pt": (8, 3), "dn": (1, 0), "ls": (1, 0)}


def program(seed: int, messages: bool = True) -> Program:
    """The program of a seed, always the same; without `messages` no thread polls."""
    maker = Maker(Random(seed))
    made = with_shared_functions(maker.program(maker.shapes()), seed)
    return with_messages(made, seed) if messages else made


def counted(random: Random, grid: Extent, block: Extent) -> Program:
    """A program of one kernel whose counters `tests/reference/counting.py` knows.

    It is not portable: integers overflow, reals are not exact, and threads may return early.
    """
    return Maker(random, portable=False).program([(grid, block)])


class Maker:
    """Makes one program."""

    def __init__(self, random: Random, portable: bool = True) -> None:
        self.random = random
        self.portable = portable
        self.arrays: dict[str, Global] = {}
        self.slots: dict[str, int] = {}
        self.names = 0
        self.meetings: list[st.Function] = []

    def shapes(self) -> list[tuple[Extent, Extent]]:
        """A grid and a block for each kernel."""
        count = self.random.choice((1, 1, 2, 3))
        return [(self.random.choice(GRIDS), self.random.choice(BLOCKS)) for _ in range(count)]

    def program(self, shapes: list[tuple[Extent, Extent]]) -> Program:
        self.make_arrays(max(prod(grid) * prod(block) for grid, block in shapes))
        functions = Phases(self.random, portable=self.portable)
        for _ in range(self.random.randint(0, 2)):
            functions.function()
        self.names = functions.last
        kernels = [
            self.kernel(f"k{at}", grid, block, functions) for at, (grid, block) in enumerate(shapes)
        ]
        order = list(range(len(shapes))) + ([0] if self.random.randrange(4) == 0 else [])
        made = [f for f, _ in functions.functions] + self.meetings
        return Program(self.arrays, made, kernels, order)

    def make_arrays(self, threads: int) -> None:
        for at in range(self.random.randint(2, 5)):
            name, of = f"a{at}", self.random.choice(STORED)
            self.slots[name] = self.random.choice((1, 1, 2, 4))
            start = self.random.randint(0 if self.portable else -40, 99)
            self.arrays[name] = Global(of, threads * self.slots[name], start)
        for name, (length, start) in (COMMON | LAST).items() if self.portable else ():
            self.arrays[name] = Global(UINT, length, start)

    def kernel(self, name: str, grid: Extent, block: Extent, functions: Phases) -> Kernel:
        threads = prod(block)
        maker = Phases(
            self.random,
            functions=functions.functions,
            last=self.names,
            portable=self.portable,
        )
        maker.whole_warps = threads % 32 == 0
        numbers = {"n": (INT, self.random.randint(0, 9)), "m": (UINT, self.random.randint(0, 99))}
        maker.scope = [Var(n, INT, writable=False) for n in ("tid", "gid", "lane")]
        maker.scope += [Var(n, INT, False, True) for n in ("bid", "T")]
        maker.scope += [Var(n, of, False, True) for n, (of, _) in numbers.items()]
        shared = self.shared(maker, threads)
        if shared and self.portable and self.random.randrange(3) == 0:
            maker.block_function(self.random.choice(maker.arena))
        head, arrays = self.share_out(maker)
        self.meet(maker, arrays)
        body = st.Body([*self.filled(shared), *head, *self.body(maker, arrays)])
        self.names = maker.last
        self.meetings += [function for function, _ in maker.meetings]
        return Kernel(name, grid, block, arrays, numbers, shared, body)

    def shared(self, maker: Phases, threads: int) -> dict[str, Shared]:
        """Shared arrays, long enough for every lane of every warp."""
        made: dict[str, Shared] = {}
        for at in range(self.random.randint(0, 3)):
            name, of = maker.fresh("sh"), self.random.choice((INT, UINT, *STORED))
            length = -(-threads // 32) * 32 + self.random.choice((0, 5, 32))
            made[name] = Shared(of, length, at == 0 and self.random.randrange(3) == 0)
            maker.arena.append(Block(name, of, length, True))
        return made

    def filled(self, shared: dict[str, Shared]) -> list[st.Stmt]:
        fills: list[st.Stmt] = [
            Fill(s.type, name, s.length, self.random.choice((0, 1, 7, 37)))
            for name, s in shared.items()
        ]
        return [Phase([], st.Body(fills), st.Barrier())] if fills else []

    def share_out(self, maker: Phases) -> tuple[list[st.Stmt], dict[str, bool]]:
        """Choose each array's role; the declarations of cells, and which arrays are const."""
        head: list[st.Stmt] = []
        arrays: dict[str, bool] = {}
        for name in self.slots:
            of, role = self.arrays[name].type, self.random.randrange(9)
            role = min(role, 5) if self.slots[name] == 4 and role else role
            arrays[name] = role < 2
            if role < 2:
                length = self.arrays[name].length
                maker.scope.append(Var(name, of, False, uniform=True, limit=length))
            elif role < 6:
                head += self.owned(maker, name, of)
            elif role < 8 or not maker.families(of):
                maker.arena.append(Block(name, of, self.arrays[name].length, False))
            else:
                length = self.arrays[name].length
                var = Var(name, of, False, limit=min(self.random.choice((1, 4, length)), length))
                maker.updates[name] = (var, self.random.choice(maker.families(of)))
        return head, arrays

    def owned(self, maker: Phases, name: str, of: Type) -> list[st.Stmt]:
        """Cells of its own for each thread: four in a row, or one or two anywhere."""
        if self.slots[name] == 4:
            maker.scope.append(Var(name, of, limit=4, base="mine"))
            return []
        own = maker.own("gid", "G")
        offsets = ("", "G")[: self.slots[name]]
        maker.scope.append(Var(name, of, cells=tuple((own.name, o) for o in offsets)))
        return [own]

    def meet(self, maker: Phases, arrays: dict[str, bool]) -> None:
        """The arrays that are only for meeting."""
        if not self.portable or self.random.randrange(3) == 0:
            return
        arrays |= dict.fromkeys(COMMON, False)
        var = {name: Var(name, UINT, False, limit=COMMON[name][0]) for name in COMMON}
        maker.tickets = [(var["tk"], 0, var["mk"])]
        maker.claims, maker.xors, maker.sums = [var["cl"]], [var["sx"]], [var["sa"]]
        maker.updates |= {"sx": (var["sx"], "xor"), "sa": (var["sa"], "add")}

    def body(self, maker: Phases, arrays: dict[str, bool]) -> list[st.Stmt]:
        made: list[st.Stmt] = []
        for _ in range(self.random.randint(1, 3)):
            made += maker.declare(Context())
        made += maker.sequence(2, 3 if self.portable else 2)
        if self.portable and not maker.left and self.random.randrange(4) == 0:
            arrays |= dict.fromkeys(LAST, False)
            made += maker.last_block()
        return made + maker.phase(Context(), last=True)
