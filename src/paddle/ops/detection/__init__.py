"""Boxes: anchors, proposals, suppression, pooled regions."""
