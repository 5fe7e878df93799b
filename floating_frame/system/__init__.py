"""What moves: rigid bodies, beams, free and clamped plates, behind one protocol."""
