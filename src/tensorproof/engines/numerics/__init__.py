"""Which operations of a program can yield NaN or Inf: bounds of all values, and a verdict for each hazard of each applied operator."""
