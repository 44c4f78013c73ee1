"""`python -m tensorproof`."""

import os
import sys

if sys.path and sys.path[0] in ("", os.getcwd()):  # or a `random.py` beside the checked program would be imported, and so run, in place of Python's own
    del sys.path[0]

from tensorproof.cli.main import start

start()
