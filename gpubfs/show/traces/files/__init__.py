"""Traces as files: a page to step through, a picture of a step, plain text."""
