"""Computing, storing and recording the data of figures."""
