"""Generators of the documentation site: pages from the code, the gallery, the verification report, formulas."""
