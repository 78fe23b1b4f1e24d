"""Combinations: techniques that choose among others, level by level."""
