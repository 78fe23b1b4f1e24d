"""Notebooks and exercises without their answers, as students get them."""
