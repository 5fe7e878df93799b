"""The compiled steps of a rigid body in the plane."""
