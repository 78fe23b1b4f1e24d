"""Execute: generated code at work on a simulated device.

`launch` runs a grid in waves, `geometry` lays threads out as lanes, `memory` is the device's arena,
`atomics`, `warp` and `arithmetic` are what the generated code calls, `faults` says what went wrong.
"""
