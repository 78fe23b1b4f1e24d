"""Main loops: who goes from level to level, and at which barrier do threads wait between two?"""
