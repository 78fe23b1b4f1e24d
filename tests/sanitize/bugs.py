"""All planted bugs: one row for each file of `bugs/`, in a table for each sanitizer."""

from __future__ import annotations

from tests.sanitize.bugs_clusters import CLUSTERS
from tests.sanitize.bugs_copies import COPIES
from tests.sanitize.bugs_init import INIT
from tests.sanitize.bugs_livelock import LIVELOCK
from tests.sanitize.bugs_memory import MEMORY
from tests.sanitize.bugs_orders import ORDERS
from tests.sanitize.bugs_race import RACE
from tests.sanitize.bugs_shared import SHARED
from tests.sanitize.bugs_steps import STEPS
from tests.sanitize.bugs_sync import SYNC

BUGS = [*MEMORY, *INIT, *RACE, *SHARED, *SYNC, *CLUSTERS, *COPIES, *ORDERS, *LIVELOCK, *STEPS]
