"""The processes in which submitted drivers run, with nothing in reach but two pipes.

Python is started with this folder on its path (`driving/starting.py`): nothing of it may import
more than the standard library, nor anything else of gpubfs.
"""
