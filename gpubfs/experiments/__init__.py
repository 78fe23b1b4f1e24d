"""One module per experiment: a paper's table or figure, measured anew.

`catalogue`, `lab`, `report`, `cells`, `contention`, `level_costs`, `level_shares`, `settings`,
`updating` and `update_reports` are no experiments but what these share: what finds them, what
measures, and what makes tables and sentences of it.
"""
