"""Notebooks of lessons: what cells show; what students and slides get."""
