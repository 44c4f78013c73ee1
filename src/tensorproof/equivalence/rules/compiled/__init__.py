"""Rules that compare a function with what a compiler or an exporter makes of it."""
