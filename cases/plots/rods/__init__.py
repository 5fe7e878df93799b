"""Pictures of the cases in one coordinate: rods and the annulus."""
