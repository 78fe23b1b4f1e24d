"""The steps of a run that is lost: done once more here, watched, and explained."""
