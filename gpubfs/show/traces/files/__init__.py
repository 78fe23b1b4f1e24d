"""Traces as files: a page with a slider, a picture of a step, plain text."""
