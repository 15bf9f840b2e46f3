"""`python -m lattice_runtime` and the command `lattice` of the wheel: the command line itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).parent / "bin" / "lattice"
    try:
        os.execv(program, ["lattice", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"lattice: cannot start {program}: {error.strerror}")


if __name__ == "__main__":
    main()
