"""Coulomb friction for a known pressure: laws, foundations and the convex friction problem."""
