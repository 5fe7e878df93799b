"""What is computed of a body besides its forces: fields of cells for pictures, natural modes."""
