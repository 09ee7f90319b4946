"""Every operator: what it computes, its gradients, its shape rule, its name in files."""

from . import families  # noqa: F401  (ops name theirs when they are declared)
