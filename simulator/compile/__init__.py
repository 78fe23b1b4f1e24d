"""Compile: a checked kernel becomes one Python generator function over arrays of lanes.

In the order in which they stand on one another: `writer` holds the text that is being written,
`regions` which lanes are active and what is known of their variables, `places` loads and stores,
`pointers` which place an lvalue means, `operators` and `expressions` what has a value, `structures`
values of several members (`layouts`), `groups` what cooperative groups know, `reports` and
`launches` what reaches beyond memory, `recursion` and `calls` functions, `declarations`,
`statements` and `switches` what is done, `kernel` the whole. `waits` and `listens` say which loops
may wait for other threads.
"""
