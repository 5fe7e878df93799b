"""The plate on a clamp: the clamp's motions are unknowns of the elastic pass."""
