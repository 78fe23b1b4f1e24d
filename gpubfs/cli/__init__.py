"""The command line `gpubfs`: `main` is the entry point, the other modules are commands."""
