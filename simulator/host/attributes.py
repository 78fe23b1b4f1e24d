"""What a kernel is known by before it is launched: CuPy's attributes of kernels."""

from __future__ import annotations

from typing import NoReturn

from simulator.compile.compiled import CompiledKernel
from simulator.execute.device import current
from simulator.host.shared_memory import opt_in_refusal
from simulator.ir import tree
from simulator.ir.types import size_of
from simulator.source import LaunchError

#: What a compiler for a GPU decides and nobody here can know; CuPy has it for what is not there.
UNKNOWN = -1

_NAMES = (
    *("max_threads_per_block", "shared_size_bytes", "const_size_bytes", "local_size_bytes"),
    *("num_regs", "ptx_version", "binary_version", "cache_mode_ca"),
    *("max_dynamic_shared_size_bytes", "preferred_shared_memory_carveout"),
)


class KernelAttributes:
    """The attributes of a kernel.

    Those that a compiler for a GPU decides, and a simulator cannot know, are -1: `num_regs` and
    `local_size_bytes`.
    """

    function: tree.Function
    options: tuple[str, ...]
    _allowed_shared: int
    _carveout: int

    def compiled(self) -> CompiledKernel:
        """Return the kernel as it is executed."""
        raise NotImplementedError

    def _refused(self, what: str, hint: str) -> LaunchError:
        """Make the error about the kernel."""
        raise NotImplementedError

    @property
    def attributes(self) -> dict[str, int]:
        """All of them by their names, as in CuPy."""
        return {name: getattr(self, name) for name in _NAMES}

    @property
    def max_threads_per_block(self) -> int:
        """Threads of a block at most: the device's limit, or what __launch_bounds__ promises."""
        promised, most = self.function.max_threads, current().profile.threads_per_block
        return most if promised is None else min(promised, most)

    @property
    def shared_size_bytes(self) -> int:
        """Bytes of the kernel's own shared variables."""
        return self.compiled().shared_bytes

    @property
    def const_size_bytes(self) -> int:
        """Bytes of the `__constant__` variables that it uses."""
        used = self.compiled().variables
        return sum(size_of(v.type) for v in used if v.storage is tree.Storage.CONSTANT)

    @property
    def local_size_bytes(self) -> int:
        """Not known: -1. A compiler decides what of a thread's variables is in memory."""
        return UNKNOWN

    @property
    def num_regs(self) -> int:
        """Not known: -1. A compiler decides how many registers there are."""
        return UNKNOWN

    @property
    def ptx_version(self) -> int:
        """Compute capability of the device, as 10 * major + minor."""
        major, minor = current().profile.compute_capability
        return 10 * major + minor

    @property
    def binary_version(self) -> int:
        """Compute capability of the device, as 10 * major + minor."""
        return self.ptx_version

    @property
    def cache_mode_ca(self) -> int:
        """Whether the option `--dlcm=ca` was given to the assembler."""
        return int(any("dlcm=ca" in option for option in self.options))

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Dynamic shared memory that launches may ask for; it can be set to more than 48 KiB."""
        profile = current().profile
        return self._allowed_shared or max(0, profile.shared_per_block - self.shared_size_bytes)

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, size: int) -> None:
        refusal = opt_in_refusal(current().profile, size)
        if refusal is not None:
            raise self._refused(*refusal)
        self._allowed_shared = size

    @property
    def preferred_shared_memory_carveout(self) -> int:
        """Percentage of the cache wanted as shared memory, -1 for none; it changes nothing here."""
        return self._carveout

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, percentage: int) -> None:
        if not -1 <= percentage <= 100:
            raise self._refused(
                f"cannot prefer {percentage} percent of shared memory", "It is from -1 to 100."
            )
        self._carveout = percentage

    @property
    def kernel(self) -> NoReturn:
        """Refuse CuPy's handle of the driver's function."""
        raise AttributeError(
            "the simulator's RawKernel has no 'kernel': there is no driver's function; call the "
            "RawKernel itself, and print what it became with kernel.compiled().text"
        )
