"""Main loops: who goes from level to level, and where do threads wait between two."""
