"""Direction: whether frontier vertices look for children, or the others for their parents."""
