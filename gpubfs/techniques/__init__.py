"""Techniques, a folder for each family and a module for each technique: its host code."""
