"""aimGraph: blocks of edges, linked by numbers, in one allocation."""
