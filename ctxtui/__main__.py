"""Lets ``python -m ctxtui`` do what ``ctxtui`` does."""

import sys

from ctxtui.cli import main

sys.exit(main())
