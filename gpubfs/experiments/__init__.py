"""One module per experiment: a paper's table or figure, measured anew.

`catalogue`, `lab`, `report`, `cells`, `contention`, `level_costs` and `level_shares` are no
experiments but what these share: what finds them, what measures, and what makes tables and
sentences of it.
"""
