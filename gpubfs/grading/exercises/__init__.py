"""What an exercise is: its files read and refused, the problems that it sets, its starter."""
