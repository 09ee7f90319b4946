"""``fleet.layers``: layers that are cut over the ranks of the model axis."""
