"""Making, reshaping, joining, slicing, indexing and searching tensors."""
