"""Compile: a checked kernel becomes one Python generator function over arrays of lanes.

`writer` holds the text that is being written, `regions` which lanes are active and what is known of
their variables, `places` how C's pointers and arrays become views of memory, `expressions`,
`statements` and `calls` one method a construct, `kernel` puts them together.
"""
