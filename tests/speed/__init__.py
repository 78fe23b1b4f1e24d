"""Where the simulator's time goes: `python -m tests.speed` makes the page simulator/SPEED.md."""
