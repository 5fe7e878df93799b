"""Normal forces on contact points, and unilateral contact with friction."""
