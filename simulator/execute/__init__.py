"""Execute: generated code at work on a simulated device.

`launch` runs a grid in waves, and a `driver` each wave: `schedule` forms its gangs and says who
runs next, `gang` is what generated code sees, `barriers` and `progress` say who waits, within a
`budget`. `geometry` and `ranks` lay threads out as lanes; `memory` is the device's arena, `scratch`
what of it goes with a wave, `written` what has been written. Generated code calls `arithmetic`,
`words`, `atomics`, `warp`, `collective`, `members`, `labels`, `recursion`, `traps`, and `effects`:
`printing`, and `children`, which kernels launch. `faults` says what went wrong.
"""
