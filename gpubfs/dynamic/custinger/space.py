"""The device memory that cuSTINGER needs for one batch, allocated before anything is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, Host

#: What kernels count, in the order of `figures`.
INCOMPLETE, GAPPED, EFFECTIVE, TWINS = range(4)


def joined(columns: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Return columns one behind the other; one number that nobody reads where there are none."""
    return np.concatenate(columns) if columns else np.zeros(1, np.int32)


class Space:
    """Device arrays for one batch.

    Parameters
    ----------
    host : Host
        It allocates.
    columns : sequence of int32 array, each of shape (N,)
        Sources, targets, and what edges have besides.
    inserts : bool
        Whether the batch may need larger adjacencies.
    """

    def __init__(self, host: Host, columns: Sequence[NDArray[np.int32]], inserts: bool) -> None:
        self._host = host
        self._made: list[DeviceArray] = []
        self.size = len(columns[0])
        try:
            self.sources = self._keep(host.array("sources", columns[0]))
            self.targets = self._keep(host.array("targets", columns[1]))
            self.gapped = self._empty("gapped")
            self.figures = self._empty("figures", 4)
            if inserts:
                self.values = self._keep(host.array("values", joined(columns[2:])))
                self.incomplete = [self._empty("incomplete") for _ in range(2)]
                self.moved = self._empty("moved")
                self.new_room = self._empty("new_room")
                self.new_memory = self._keep(host.empty("new_memory", self.size, "uint64"))
        except BaseException:
            self.free()
            raise

    def _keep(self, array: DeviceArray) -> DeviceArray:
        self._made.append(array)
        return array

    def _empty(self, name: str, size: int | None = None) -> DeviceArray:
        return self._keep(self._host.empty(name, self.size if size is None else size))

    def free(self) -> None:
        """Give all of it back."""
        for array in self._made:
            self._host.free(array)
        vars(self).clear()


@contextmanager
def space(
    host: Host, columns: Sequence[NDArray[np.int32]], inserts: bool
) -> Iterator[Space | None]:
    """Allocate what a batch needs for as long as the context lasts; None where there is no room."""
    import simulator

    try:
        made = Space(host, columns, inserts)
    except (UsageError, simulator.OutOfMemoryError):
        made = None
    try:
        yield made
    finally:
        if made is not None:
            made.free()
