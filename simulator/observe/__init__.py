"""Observe: whoever looks at what a launch did: counters, sanitizers, traces."""
