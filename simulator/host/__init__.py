"""The host's side: CuPy's names for arrays, modules, kernels and streams."""
