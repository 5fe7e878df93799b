"""What acts on a body: loads, springs, friction, contacts; each brings its force, its part of the ledger and its outputs."""
