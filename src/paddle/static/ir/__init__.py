"""Values written once and the nodes between them: lowering, differentiation, passes."""
