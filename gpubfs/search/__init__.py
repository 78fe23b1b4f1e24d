"""One search: a technique with its options, driven on a machine, verified and counted."""
