"""Mechanical systems behind one protocol: rigid bodies, beams, free and clamped plates, solids."""
