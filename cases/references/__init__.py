"""Exact and literature solutions of the cases, independent of the code that is compared with them."""
