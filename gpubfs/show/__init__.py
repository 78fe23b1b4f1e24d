"""How graphs, runs and comparisons are shown: tables, plots, and traces step by step.

What is shown imports nothing of it: these modules register views (`gpubfs.render.views`).
"""
