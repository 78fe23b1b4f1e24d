"""Panes: what a terminal shows of a step, each part as lines of text; nothing here knows Textual."""
