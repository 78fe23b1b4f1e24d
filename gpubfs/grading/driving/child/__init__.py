"""The process in which a submitted driver runs, with nothing in reach but two pipes.

Python runs this folder, `python -I -S gpubfs/grading/driving/child`: nothing of it may import more
than the standard library, nor anything else of gpubfs.
"""
