"""Relations between tensors, beside their bounds."""
