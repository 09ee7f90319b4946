"""Sums over neighbours, and noise-contrastive estimation, against plain loops."""

import numpy as np
from opcase import OpCase, bad, const, f, pos


def row_conv(x, w):
    out = np.zeros_like(x)
    for t in range(x.shape[1]):
        for k in range(min(len(w), x.shape[1] - t)):
            out[:, t] += x[:, t + k] * w[k]
    return out


def tree_conv(nodes, edges, w, max_depth=2):
    """The continuous binary tree of Mou et al.: weights from the top, left and right by depth and place among siblings."""
    out = np.zeros([*nodes.shape[:2], *w.shape[2:]], nodes.dtype)
    for b, pairs in enumerate(edges):
        pairs = [(u, v) for u, v in pairs if u and v]
        joined = {n for pair in pairs for n in pair}

        def visit(root, node, depth, place, b=b, pairs=pairs):
            top = (max_depth - depth) / max_depth
            left = (1 - top) * place
            right = (1 - top) * (1 - left)
            x = nodes[b, node - 1]
            for share, part in zip((left, right, top), (0, 1, 2)):
                out[b, root - 1] += share * np.tensordot(x, w[:, part], 1)
            kids = [v for u, v in pairs if u == node]
            for k, kid in enumerate(kids):
                if depth + 1 < max_depth:
                    visit(root, kid, depth + 1, k / (len(kids) - 1) if len(kids) > 1 else 0.5)
        for root in joined:
            visit(root, root, 0, 0.5)
    return out


def nce(out, x, label, w, *rest):
    """Does the cost belong to the classes that were drawn?"""
    cost, logits, ids = (np.asarray(o) for o in out)
    scores = np.einsum("nd,nsd->ns", x, w[ids]) + (rest[0][:, 0][ids] if rest else 0)
    p, noise = 1 / (1 + np.exp(-scores)), 2 / 5
    want = -np.log(p / (p + noise))[:, :1].sum(1) - np.log(noise / (p + noise))[:, 1:].sum(1)
    return (ids[:, :1] == label).all() and np.allclose(p, logits, atol=1e-5) and np.allclose(want, cost[:, 0], atol=1e-5)


labels = const(np.array([[1], [0], [4]]))
drawn = {"num_total_classes": 5, "num_neg_samples": 2, "seed": 3, "unknown": False}
trees = const(np.array([[[1, 2], [1, 3], [3, 4], [3, 5], [3, 6]], [[1, 2], [2, 3], [0, 0], [0, 0], [0, 0]]], "int32"))
CASES = [
    OpCase("recompute_gate", [f(2, 3)], ref=lambda x: x),
    OpCase("row_conv", [f(2, 4, 3), f(3, 3)], ref=row_conv, tol=1e-5, unknown=False, errors=[bad(ValueError, f(2, 3), f(3, 3))]),
    OpCase("row_conv", [f(1, 2, 3), f(4, 3)], ref=row_conv, tol=1e-5, unknown=False),
    OpCase("tree_conv", [f(2, 7, 3), trees, f(3, 3, 2, 2)], ref=tree_conv, tol=1e-5, unknown=False,
           errors=[bad(ValueError, f(2, 4, 3), trees, f(3, 3, 2, 2)), bad(ValueError, f(2, 7, 3), trees, f(3, 2, 2, 2))]),
    OpCase("tree_conv", [f(2, 7, 3), trees, f(3, 3, 2, 1)], max_depth=3, ref=tree_conv, tol=1e-5, unknown=False),
    OpCase("nce", [f(3, 4), labels, f(5, 4), f(5, 1)], check=nce, **drawn,
           errors=[bad(ValueError, f(3, 4), const(np.array([[5], [0], [1]])), f(5, 4), num_total_classes=5)]),
    OpCase("nce", [f(3, 4), labels, f(5, 4)], check=nce, **drawn),
    OpCase("nce", [f(3, 4), labels, f(5, 4), f(5, 1), pos(3, 1)], **drawn,
           check=lambda out, x, label, w, b, sw: nce((np.asarray(out[0]) / sw, *out[1:]), x, label, w, b)),
]
