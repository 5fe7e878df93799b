"""Exact solutions of beams."""
