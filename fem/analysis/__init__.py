"""Evaluation of bodies: stress and energy fields of the cells, natural modes."""
