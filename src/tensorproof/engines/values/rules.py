"""All rules for boxes: importing this makes NumPy's functions work on them."""

from tensorproof.engines.values import bits, conversion, curves, matrices, moves, pairs, probabilities, reductions, scattering, spectra
from tensorproof.engines.values.boxes import Box, Unbounded, boxed

__all__ = ["Box", "Unbounded", "bits", "boxed", "conversion", "curves", "matrices", "moves", "pairs", "probabilities", "reductions", "scattering", "spectra"]
