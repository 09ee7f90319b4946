"""fluid.layers: functions over packed sequences (LoD) besides those that paddle.static.nn still has."""

from ...core.errors import describe
from ...core.op import Symbolic
from ...nn.param_attr import ParamAttr
from ...ops.loss.ctc import warpctc as ctc_op
from ...ops.sequence import labelling, sequence_ops
from ...static.program import lod
from ...tensor import functions as tensor
from ...utils import naming
from ..state import fluid_call
from .nn import helper_parameter

__all__ = ["lod_reset", "lod_append", "im2sequence", "sequence_erase", "edit_distance", "ctc_greedy_decoder", "warpctc",
           "linear_chain_crf", "crf_decoding", "chunk_eval"]


@fluid_call
def lod_reset(x, y=None, target_lod=None):
    """The rows of x with the sequence lengths of y, or with the offsets in y's values or in ``target_lod`` (1.x; successor:
    none, use paddle.static.nn.sequence_unpad)."""
    if y is None and target_lod is None:
        raise ValueError("lod_reset(): y or target_lod must be given")
    return sequence_ops.lod_reset(x, y, target_lod=[] if y is not None else [int(n) for n in target_lod])[0]


@fluid_call
def lod_append(x, level):
    """x with one more, innermost, level of sequence lengths: offsets, or those of a Variable (1.x; successor: none)."""
    if isinstance(level, Symbolic):
        return sequence_ops.lod_reset(x, level, append=True)[0]
    if not isinstance(level, (list, tuple)):
        raise ValueError(f"lod_append(): level must be a Variable or a list of offsets, got {describe(level)}")
    return sequence_ops.lod_reset(x, target_lod=[int(n) for n in level], append=True)[0]


@fluid_call
def im2sequence(input, filter_size=1, stride=1, padding=0, input_image_size=None, out_stride=1, name=None):
    """The windows of each picture as a sequence of rows; ``input_image_size`` has the height and width of each picture, of which
    ``out_stride`` is left where the windows lie (1.x; successor: paddle.nn.functional.unfold)."""
    sizes = [[v] * 2 if isinstance(v, int) else list(v) for v in (filter_size, stride, out_stride)]
    pads = [padding] * 4 if isinstance(padding, int) else list(padding) * (2 if len(padding) == 2 else 1)
    return sequence_ops.im2sequence(input, input_image_size, sizes[0], sizes[1], pads, sizes[2])[0]


@fluid_call
def sequence_erase(x, tokens):
    """The sequences without some ids (1.x; successor: none)."""
    lod.need(x, "sequence_erase", "x")
    return labelling.sequence_erase(x, tokens=[int(t) for t in tokens])[0]


@fluid_call
def edit_distance(input, label, normalized=True, ignored_tokens=None, input_length=None, label_length=None):
    """(edit distance of each pair of sequences [N, 1], number of pairs) (1.x; successor: paddle.nn.functional.edit_distance)."""
    if ignored_tokens:
        input, label = sequence_erase(input, ignored_tokens), sequence_erase(label, ignored_tokens)
    count, distance = labelling.edit_distance(input, label, input_length, label_length, normalized=bool(normalized))
    return distance, count


@fluid_call
def ctc_greedy_decoder(input, blank, input_length=None, padding_value=0, name=None):
    """The most probable class of each row without blanks and repetitions; with ``input_length`` for padded input, together
    with the lengths that are left (1.x; successor: none, compose it from paddle.argmax)."""
    if input_length is not None:
        return labelling.ctc_align(tensor.argmax(input, -1), input_length, blank=int(blank), padding_value=int(padding_value))
    lod.need(input, "ctc_greedy_decoder")
    out, _, *offsets = labelling.ctc_align(tensor.topk(input, 1)[1], blank=int(blank))  # keeps the lengths in files, unlike argmax
    return lod.give(out, offsets)


@fluid_call
def warpctc(input, label, blank=0, norm_by_times=False, input_length=None, label_length=None, use_cudnn=False):
    """CTC loss of packed sequences, or of padded ones [T, N, C] with their lengths: [N, 1] (1.x; successor:
    paddle.nn.functional.ctc_loss). ``use_cudnn``, the fifth argument in 1.4 and 1.5: for a program on a GPU."""
    if input_length is None or isinstance(input_length, bool):
        lod.need(input, "warpctc")
        lod.need(label, "warpctc", "label")
        zero, none = tensor.zeros([1], input.dtype), tensor.zeros([1], label.dtype)
        padded, input_length = sequence_ops.sequence_pad(input, zero)
        label, label_length = sequence_ops.sequence_pad(label.reshape([-1, 1]), none)
        input, label = padded.transpose([1, 0, 2]), label.squeeze(-1)
    elif len(input.shape) > 3 or len(label.shape) > 2:  # as 1.8 reads them: [T, N, ...] of classes, [N, ...] of labels
        input, label = input.flatten(2), label.flatten(1)
    return ctc_op(input, label, input_length, label_length, int(blank), bool(norm_by_times))


@fluid_call
def linear_chain_crf(input, label, param_attr=None, length=None):
    """-log of the probability of each sequence's labels under a conditional random field with transitions of its own, [N, 1]
    (1.x; successor: paddlenlp's, or paddle.text.ViterbiDecoder for decoding)."""
    size = input.shape[-1]
    with naming.owner("linear_chain_crf") as kind:
        w = helper_parameter(kind, param_attr, [size + 2, size], input.dtype)
        return labelling.linear_chain_crf(input, w, label, length)


@fluid_call
def crf_decoding(input, param_attr, label=None, length=None):
    """The most probable labels under the transitions that ``param_attr`` names; with labels given, whether each is right
    (1.x; successor: paddle.text.viterbi_decode)."""
    name = ParamAttr.convert(param_attr).name
    found = None if name is None else input.block.program.global_block().vars.get(name)
    if found is None:
        raise ValueError(f"crf_decoding(): param_attr must name the transitions that linear_chain_crf made, got {name!r}")
    return labelling.crf_decoding(input, found, label, length)


@fluid_call
def chunk_eval(input, label, chunk_scheme, num_chunk_types, excluded_chunk_types=None, seq_length=None):
    """Precision, recall, F1 of chunks, then the numbers of chunks inferred, labelled and correct, each [1] (1.x; successor:
    paddlenlp.metrics.ChunkEvaluator)."""
    return labelling.chunk_eval(input, label, seq_length, num_chunk_types=int(num_chunk_types), chunk_scheme=chunk_scheme,
                                excluded_chunk_types=[int(k) for k in excluded_chunk_types or ()])
