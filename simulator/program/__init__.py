"""Programs: a source text and its compiler options, read, checked and kept."""
