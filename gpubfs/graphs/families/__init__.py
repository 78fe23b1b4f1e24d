"""Modules with families of generated graphs; all modules of this folder are imported."""

import importlib
import pkgutil

from gpubfs.graphs.families import standard  # noqa: F401, first, as messages list them

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
