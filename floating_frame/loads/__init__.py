"""Loads as the user gives them, their histories, and their nodal forces."""
