"""`python -m gpubfs` is the command line."""

from gpubfs.cli.main import main

main()
