"""What is looked at in a kernel or in answers that were handed in."""
