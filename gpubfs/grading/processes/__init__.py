"""Processes in which submissions are graded: how they start, what they may take, and their end."""
