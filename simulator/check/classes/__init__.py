"""Classes: declared, their objects made, their templates, and lambdas, which are classes."""
