"""Products, decompositions, equations, eigenvalues and norms of matrices."""
