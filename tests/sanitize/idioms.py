"""All idioms, by their names."""

from tests.sanitize.idioms_accesses import ATOMICS, CACHES, REDUCTIONS, WARPS
from tests.sanitize.idioms_messages import BARRIERS, FLAGS, LOCKS, QUEUES

IDIOMS = REDUCTIONS | FLAGS | LOCKS | QUEUES | BARRIERS | WARPS | ATOMICS | CACHES
