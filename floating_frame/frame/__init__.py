"""Kinematics of the floating frame, integrals (3.3), rigid equations (3.4)1, frame conditions."""
