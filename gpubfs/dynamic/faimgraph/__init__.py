"""faimGraph: pages of edges and records of vertices in one allocation; searches over pages."""
