"""Pictures of the cases in space."""
