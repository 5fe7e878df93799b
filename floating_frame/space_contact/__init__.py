"""Contact of bodies in space: obstacles, their motion, and what the user asks of a contact."""
