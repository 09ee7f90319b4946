"""What a node does: how it runs on arrays and what computes its gradients."""
