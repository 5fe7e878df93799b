"""How far a run is, told while it runs."""
