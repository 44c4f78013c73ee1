"""TensorFlow's graph files: GraphDef, MetaGraphDef and SavedModel."""

from tensorproof.frontends.graphdef.reader import parse, read, read_all

__all__ = ["parse", "read", "read_all"]
