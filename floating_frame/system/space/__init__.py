"""Bodies in space on rough ground: rigid ones, with contact points whose normal forces are unknown."""
