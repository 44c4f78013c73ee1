"""Values of a program form: exactly, by the reference functions of the catalogue."""
