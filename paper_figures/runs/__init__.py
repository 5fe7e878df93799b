"""Computing, storing and recording what figures are drawn from."""
