"""Actions on a body: loads, springs, friction, contacts, each with its force, its part of the ledger and its outputs."""
