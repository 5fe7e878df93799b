"""The linear beam: deflections and slopes as unknowns, friction across its axis."""
