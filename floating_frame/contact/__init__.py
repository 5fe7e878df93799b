"""Obstacles, contact points, and the forces of penalty and exact contact."""
