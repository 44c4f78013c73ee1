"""The version of Tensorproof."""

VERSION = "0.1.0"
