"""The command line: parse, one public call, print."""

import sys


def main() -> None:
    """Entry point. Exit codes: 0 done, 2 bad input, 130 interrupted."""
    from spotree.cli.app import app
    from spotree.errors import SpotreeError

    try:
        app()
    except SpotreeError as error:
        print(f"spotree: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("spotree: interrupted", file=sys.stderr)
        sys.exit(130)
