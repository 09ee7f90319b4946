"""Shape rules of the C library: written down from Python's (core/sizes.py), and which operators have one of their own."""

import pathlib
import re

from capi.library import operators

OPS = pathlib.Path(__file__).parents[2] / "src" / "capi" / "ops"
SHARED = r"\b(size_\w+|broadcast_dims|expand_into|product_into|window_outputs)\("
OWN = {  # operators whose result has sizes that C says itself, by reason
    "as many as are found while running": """where_index masked_select generate_proposals_v2 distribute_fpn_proposals
        sequence_mask range beam_search beam_search_decode ctc_align viterbi_decode""",
    "sizes that attributes or tensors give, as they are": """fill_constant fill_constant_batch_size_like assign_value eye linspace
        crop_tensor roi_align roi_pool affine_grid one_hot one_hot_v2 sequence_enumerate""",
    "one number, or one for each axis, slice or row": """size shape lod_array_length squared_l2_norm fake_quantize_abs_max
        fake_quantize_dequantize_abs_max fake_channel_wise_quantize_abs_max fake_channel_wise_quantize_dequantize_abs_max
        moving_average_abs_max_scale crf_decoding""",
    "a grid of anchors over the cells of an image": "prior_box yolo_box anchor_generator",
    "the shape of an operand, handed on": "nll_loss fill_any_like fill_zeros_like index_sample dot box_coder grid_sampler",
    "sizes times or plus a number": """maxout kron repeat_interleave pad pad2d pad3d
        nearest_interp nearest_interp_v2 bilinear_interp bilinear_interp_v2 bicubic_interp bicubic_interp_v2
        linear_interp linear_interp_v2 trilinear_interp trilinear_interp_v2""",
    "statistics beside the result": "layer_norm group_norm instance_norm",
    "pieces, as many as the file or the array lists": "split tensor_array_to_tensor",
    "a diagonal": "diag_v2 trace",
    "flattened, where an attribute says so": "cumsum cumprod",
}


def functions(text):
    """Name -> body of the functions of a file; those that a macro makes have its text."""
    bodies = {}
    macros = {m[1]: m[2] for m in re.finditer(r"#define (\w+)\(((?:.*\\\n)*.*)", text)}
    for m in re.finditer(r"^(\w+)\((\w+), .*\)$", text, re.MULTILINE):
        bodies[m[2]] = macros.get(m[1], "")
    for m in re.finditer(r"^(?:static )?\w+ \*?(\w+)\([^;{]*\) \{( [^\n]* \}|.*?^\})$", text, re.MULTILINE | re.DOTALL):
        bodies[m[1]] = m[2]
    return bodies


def reached(name, bodies, seen):
    """What a function does, with the functions of its file that it calls."""
    if name in seen or name not in bodies:
        return ""
    seen.add(name)
    return bodies[name] + "".join(reached(other, bodies, seen) for other in re.findall(r"\b(\w+)\(", bodies[name]))


def own_rules():
    """Operators that make a tensor of sizes that are neither an operand's nor given by a shared rule."""
    for path in sorted(OPS.glob("*.c")):
        text = path.read_text(encoding="utf-8")
        bodies = functions(text)
        table = re.search(r"OPERATOR_TABLE\(\w+\) = \{(.*?)\{0\}\};", text, re.DOTALL)[1]
        for name, function in re.findall(r'\{"(\w+)", (\w+),', table):
            body = reached(function, bodies, set())
            assert body, (path.name, function)
            made = re.findall(r"\b(?:make|give_view|fill)\(run, (?:[^;()]|\([^()]*\))*\)", body)
            if any(not re.search(r", (\w+)(->|\.)ndim, \1(->|\.)dims", m) for m in made) and not re.search(SHARED, body):
                yield name


def test_own_rules_are_listed_with_a_reason():
    """Shapes come from core/sizes.py; what does not is named here."""
    listed = [name for names in OWN.values() for name in names.split()]
    assert len(set(listed)) == len(listed)
    assert set(listed) <= operators()
    assert set(own_rules()) == set(listed)
