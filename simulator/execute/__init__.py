"""Execute: generated code at work on a simulated device.

`launch` runs the waves of a grid, and the gangs of each from barrier to barrier: `schedule` forms
gangs and says which runs next, `gang` is what generated code sees, `barriers` says who waits
(`waiting`; at the barrier of a cluster, `cluster_barriers`), and whether anybody can still go on.
`wave` lays threads out as lanes and blocks by their clusters, and `scratch` has their shared and
local memory, to which `shared_pointers` lead; `memory` is the device's arena. `device_launches` are
kernels that kernels launch. A `device` notifies its observers (`observer`) of each launch
(`launch_config`). `faults` says what went wrong.
"""
