"""One module per experiment: a paper's table or figure, measured anew.

`report`, `lab`, `level_costs`, `cells` and `pictures` are no experiments but what these share: what
comes out, what measures, what makes tables and sentences of it, and what keeps its pictures.
"""
