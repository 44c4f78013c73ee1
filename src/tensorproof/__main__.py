"""`python -m tensorproof`."""

import sys

from tensorproof.cli.main import main

sys.exit(main())
