"""What the stages hand to each other: trees, types, tokens, and the events that a kernel logs."""
