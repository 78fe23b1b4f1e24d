"""Frames: the picture of a step, as lines of text, from its parts."""
