"""Execute: generated code at work on a simulated device.

`launch` runs a grid in waves, and `driver` the gangs of a wave with its barriers: `schedule` forms
gangs and says which runs next, `gang` is what generated code sees, `watchdog` says whether anybody
gets on. `geometry` lays threads out as lanes; `memory` is the device's arena, `scratch` what of it
goes with a wave. `device_launches` are kernels that kernels launch. An `observer` is told of all
that a `device` does. `faults` says what went wrong.
"""
