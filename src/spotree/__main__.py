"""`python -m spotree` is the command line."""

from spotree.cli import main

main()
