"""A whole class: what was handed in, graded in parallel, and handed back."""
