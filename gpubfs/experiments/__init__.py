"""One module per experiment: a paper's table or figure, measured anew.

`report`, `lab`, `level_costs`, `cells` and `pictures` are no experiments but what these share: what
comes out, what measures, and what makes tables, sentences and drawings of it.
"""
