"""Where results of earlier runs are kept on disk; whoever reads them can do without.

`GPUBFS_CACHE` names another folder, or is "off". Nothing is read of a folder, or from a file, that
another user could have written: what is kept is loaded by `pickle` and `marshal`, which run what
they are given.
"""

from simulator.cache.entries import read, write
from simulator.cache.folder import OFF, VARIABLE, file, folder
from simulator.cache.version import version

__all__ = ["OFF", "VARIABLE", "file", "folder", "read", "version", "write"]
