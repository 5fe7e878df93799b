"""Pictures of the cases with beams."""
