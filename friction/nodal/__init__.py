"""The friction problem at nodes: g(v) + lambda = 0 with a law at every node (stated in `friction.nodal.solve`)."""
