"""What a terminal shows of a step, a pane a module, as lines of text; nothing knows Textual."""
