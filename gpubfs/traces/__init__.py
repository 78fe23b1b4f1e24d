"""Traces: a run step by step, with what every lane does and what memory sees of it."""
