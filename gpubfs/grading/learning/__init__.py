"""Working through a course: its exercises in order, what was reached, and files being saved."""
