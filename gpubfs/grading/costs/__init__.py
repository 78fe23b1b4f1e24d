"""What a run that is graded has cost, and the counters that are made for limits alone."""
