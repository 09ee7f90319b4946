"""Recurrence in ``with`` blocks, beam search, and programs of 1.x's book over packed sequences."""

import itertools

import numpy as np
import pytest
from fluid.versions import rules_of

import paddle
from paddle import fluid

L = fluid.layers
RNG = np.random.RandomState(3)
ROWS, LENGTHS = RNG.uniform(-1, 1, (7, 6)).astype("float32"), [2, 4, 1]


@pytest.fixture(autouse=True)
def own_programs():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        paddle.seed(7)
        yield


def run(feed, fetch, return_numpy=True):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed, fetch_list=fetch, return_numpy=return_numpy)


def fixed(*shape):
    values = np.linspace(-1, 1, int(np.prod(shape))).reshape(shape).astype("float32")
    return fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(values))


def test_static_rnn_is_a_loop_over_steps():
    x, h0 = RNG.uniform(-1, 1, (4, 3, 2)).astype("float32"), RNG.uniform(-1, 1, (3, 2)).astype("float32")
    inputs, start = fluid.data("x", [4, None, 2]), fluid.data("h0", [None, 2])
    inputs.stop_gradient = start.stop_gradient = False
    rnn = L.StaticRNN()
    with rnn.step():
        word = rnn.step_input(inputs)
        before, total = rnn.memory(init=start), rnn.memory(shape=[-1, 2], batch_ref=word, init_value=0.5)
        after = L.tanh(L.elementwise_add(before, word))
        rnn.update_memory(before, after)
        rnn.update_memory(total, total + after)
        rnn.step_output(after)
        rnn.output(total * word)
    first, second = rnn()
    assert first.shape == (4, -1, 2)
    loss = L.reduce_sum(first * first) + L.reduce_sum(second)
    got = run({"x": x, "h0": h0}, [first, second, loss, *fluid.gradients(loss, [inputs, start])])

    tx, th = paddle.to_tensor(x, stop_gradient=False), paddle.to_tensor(h0, stop_gradient=False)
    h, s, firsts, seconds = th, paddle.full([3, 2], 0.5), [], []
    for t in range(4):
        seconds.append(s * tx[t])
        h = paddle.tanh(h + tx[t])
        firsts.append(h)
        s = s + h
    wanted = [paddle.stack(firsts), paddle.stack(seconds)]
    total = (wanted[0] ** 2).sum() + wanted[1].sum()
    total.backward()
    for a, b in zip(got, [*wanted, total, tx.grad, th.grad]):
        np.testing.assert_allclose(a.reshape(b.shape), b.numpy(), rtol=2e-5, atol=1e-6)


def gru_by_hand(x, h0, size):
    """A GRU as a DynamicRNN, with the parameters of ``dynamic_gru``."""
    rnn = L.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(x)
        before = rnn.memory(init=h0, need_reorder=True)
        after, _, _ = L.gru_unit(word, before, 3 * size, fixed(size, 3 * size), fixed(1, 3 * size))
        rnn.update_memory(before, after)
        rnn.output(after)
    return rnn()


def test_dynamic_rnn_does_what_the_ops_do():
    x, h0 = L.data("x", [6], lod_level=1), L.data("h0", [2])
    x.stop_gradient = h0.stop_gradient = False
    start = RNG.uniform(-1, 1, (3, 2)).astype("float32")
    found = []
    for hidden in (gru_by_hand(x, h0, 2), L.dynamic_gru(x, 2, fixed(2, 6), fixed(1, 6), h_0=h0)):
        assert hidden.lod_level == 1
        loss = L.reduce_sum(hidden * hidden)
        found += [hidden, *fluid.gradients(loss, [x, h0])]
    got = run({"x": fluid.create_lod_tensor(ROWS, [LENGTHS], None), "h0": start}, found, return_numpy=False)
    assert got[0].recursive_sequence_lengths() == got[3].recursive_sequence_lengths() == [LENGTHS]
    for a, b in zip(got[:3], got[3:]):
        np.testing.assert_allclose(np.array(a), np.array(b), rtol=1e-5, atol=1e-6)


def test_memories_of_a_dynamic_rnn_keep_their_sequences():
    source, target = L.data("source", [2], lod_level=1), L.data("target", [2], lod_level=1)
    other, rnn = L.scale(source, 1.0), L.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(target)
        sequences, rows = rnn.memory(init=source, need_reorder=True), rnn.memory(init=other, need_reorder=True)
        total = L.sequence_pool(sequences, "sum") + L.sequence_pool(rows, "sum")
        rnn.update_memory(sequences, L.scale(sequences, 2.0))
        rnn.update_memory(rows, total + word)  # one row each from here on
        rnn.output(total)
    s, t, s_lengths = ROWS[:, :2].copy(), ROWS[::-1, 2:4].copy(), [3, 3, 1]
    got, = run({"source": (s, [s_lengths]), "target": (t, [LENGTHS])}, [rnn()])
    wanted = []
    for part, steps in zip(np.split(s, np.cumsum(s_lengths)[:-1]), np.split(t, np.cumsum(LENGTHS)[:-1])):
        kept = part.sum(0)
        for k, word in enumerate(steps):
            wanted.append(part.sum(0) * 2 ** k + kept)
            kept = wanted[-1] + word
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def test_a_loop_writes_sequences_over_sequences():
    """What lod_reset made carries a decoder's sequences from turn to turn, as long as no other variable has the same lengths."""
    x, y = L.data("x", [1]), L.data("y", [1], lod_level=1)
    kept, k = L.lod_reset(x, y=y), L.fill_constant([1], "int64", 0)
    going = L.less_than(k, L.fill_constant([1], "int64", 2))
    loop = L.While(going)
    with loop.block():
        L.assign(L.sequence_expand(kept, L.scale(kept, 1.0), ref_level=0), kept)
        L.increment(k)
        L.less_than(k, L.fill_constant([1], "int64", 2), cond=going)
    total = L.sequence_pool(kept, "sum")
    feed = {"x": np.float32([[1], [2], [4]]), "y": (np.zeros([3, 1], "float32"), [[2, 1]])}
    found = run(feed, [kept, total], return_numpy=False)
    assert found[0].recursive_sequence_lengths() == [[2, 2, 2, 2, 1]]
    assert np.ravel(found[1]).tolist() == [3, 3, 3, 3, 4]
    with pytest.raises(ValueError, match="are also those of other variables"):
        L.assign(kept, L.scale(y, 1.0))


@pytest.mark.parametrize("as_memory", [False, True])
def test_dynamic_rnn_looks_at_whole_other_sequences(as_memory):
    """Attention, as in the book: a step of the decoder meets the rows of its own source sequence, be it an input that stays the
    same or a memory that is handed on."""
    source, target = L.data("source", [2], lod_level=1), L.data("target", [2], lod_level=1)
    source.stop_gradient = target.stop_gradient = False
    rnn = L.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(target)
        context = rnn.memory(init=source, need_reorder=True) if as_memory else rnn.static_input(source)
        total = rnn.memory(shape=[2], value=1.0)
        if as_memory:
            rnn.update_memory(context, context)
        weights = L.sequence_softmax(L.reduce_sum(context * L.sequence_expand(word, context), 1, keep_dim=True))
        seen = L.sequence_pool(L.elementwise_mul(context, weights, axis=0), "sum")
        rnn.update_memory(total, total + seen)
        rnn.output(total + seen)
    out = rnn()
    gradients = fluid.gradients(L.reduce_sum(out), [source, target])
    s, t, s_lengths = ROWS[:, :2].copy(), ROWS[::-1, 2:4].copy(), [3, 3, 1]
    got, *found = run({"source": (s, [s_lengths]), "target": (t, [LENGTHS])}, [out, *gradients])

    def by_hand(s, t):
        wanted, parts = [], np.split(s, np.cumsum(s_lengths)[:-1])
        for part, steps in zip(parts, np.split(t, np.cumsum(LENGTHS)[:-1])):
            total = np.ones(2)
            for word in steps:
                e = np.exp(part @ word)
                total = total + (part * (e / e.sum())[:, None]).sum(0)
                wanted.append(total)
        return np.array(wanted)
    values = s.astype("float64"), t.astype("float64")
    np.testing.assert_allclose(got, by_hand(*values), rtol=1e-5)
    for which, k in itertools.product((0, 1), ((0, 0), (3, 1), (6, 0))):
        ends = []
        for step in (1e-6, -1e-6):
            moved = [v.copy() for v in values]
            moved[which][k] += step
            ends.append(by_hand(*moved).sum())
        np.testing.assert_allclose(found[which][k], (ends[0] - ends[1]) / 2e-6, rtol=1e-3, atol=1e-5)


def test_blocks_say_what_is_wrong():
    x, flat = L.data("x", [6], lod_level=1), L.data("flat", [6]) * 2.0
    with pytest.raises(RuntimeError, match="inside the block"):
        L.DynamicRNN().step_input(x)
    for use, message in ((lambda rnn: rnn.memory(shape=[2]), "step_input must come first"),
                         (lambda rnn: rnn.step_input(flat), "sequence lengths"),
                         (lambda rnn: rnn.step_input(x), "no output"),
                         (lambda rnn: (rnn.output(rnn.step_input(x)), rnn.memory(shape=[2])), "update_memory was not called")):
        rnn = L.DynamicRNN()
        with pytest.raises(ValueError, match=message), rnn.block():
            use(rnn)


def test_a_tensor_array_keeps_the_lengths_of_its_members():
    x = L.data("x", [6], lod_level=1)
    zero, one = (L.fill_constant([1], "int64", k) for k in (0, 1))
    array = L.array_write(x, zero)
    L.array_write(L.sequence_reverse(x), one, array)
    back = L.array_read(array, one)
    pooled = L.sequence_first_step(back)
    got, = run({"x": (ROWS, [LENGTHS])}, [pooled])
    np.testing.assert_array_equal(got, ROWS[np.cumsum(LENGTHS) - 1])
    with pytest.raises(ValueError, match="levels of sequence lengths"):
        L.array_write(L.lod_append(x, list(range(8))), zero, array)


def test_beam_search_finds_the_best_sentences():
    """Probabilities that depend on the word before only: beam search against all sentences, tried one by one."""
    vocabulary, beam, end, longest = 4, 4, 0, 3
    table = np.random.RandomState(5).dirichlet(np.ones(vocabulary), vocabulary).astype("float32")
    chances = L.create_parameter([vocabulary, vocabulary], "float32", attr=fluid.ParamAttr(
        name="chances", initializer=fluid.initializer.NumpyArrayInitializer(table)))
    first_ids, first_scores = L.data("ids", [1], dtype="int64", lod_level=2), L.data("scores", [1], lod_level=2)
    counter, limit = L.zeros([1], "int64"), L.fill_constant([1], "int64", longest)
    ids_array, scores_array = L.array_write(first_ids, counter), L.array_write(first_scores, counter)
    going = L.less_than(counter, limit)
    loop = L.While(going)
    with loop.block():
        ids, scores = L.array_read(ids_array, counter), L.array_read(scores_array, counter)
        words = L.lod_reset(L.gather(chances, L.reshape(ids, [-1])), scores)
        top, which = L.topk(words, vocabulary)
        reached = L.elementwise_add(L.log(top), L.reshape(scores, [-1]), axis=0)
        best_ids, best_scores = L.beam_search(ids, scores, which, reached, beam, end)
        L.increment(counter, 1.0, in_place=True)
        L.array_write(best_ids, counter, ids_array)
        L.array_write(best_scores, counter, scores_array)
        L.logical_and(L.less_than(counter, limit), L.logical_not(L.is_empty(best_ids)), out=going)
    sentences, reached = L.beam_search_decode(ids_array, scores_array, beam, end)
    starts = fluid.create_lod_tensor(np.array([[1], [3]], "int64"), [[1, 1], [1, 1]], None)
    zeros = fluid.create_lod_tensor(np.zeros([2, 1], "float32"), [[1, 1], [1, 1]], None)
    found, scores = run({"ids": starts, "scores": zeros}, [sentences, reached], return_numpy=False)
    (of_source, of_sentence), words = found.lod(), np.array(found).ravel()
    assert of_source == [0, beam, 2 * beam] and scores.lod() == found.lod()
    got = [words[a:b].tolist() for a, b in zip(of_sentence, of_sentence[1:])]

    def all_sentences(words, score):
        if len(words) > longest or (len(words) > 1 and words[-1] == end):
            return [(score, words)]
        return [s for w in range(vocabulary) for s in all_sentences([*words, w], score + np.log(table[words[-1], w]))]
    for k, start in enumerate((1, 3)):
        best = sorted(all_sentences([start], 0.0), reverse=True)[:1][0]
        assert got[k * beam] == best[1]
        last = of_sentence[k * beam + 1] - 1
        np.testing.assert_allclose(np.array(scores).ravel()[last], best[0], rtol=1e-5)


def sentiment(words, label, kind):
    """The networks of the book's chapter on sentiment: convolutions, or stacked LSTMs."""
    embedded = L.embedding(words, [30, 8], is_sparse=True)
    if kind == "conv":
        parts = [fluid.nets.sequence_conv_pool(embedded, 8, size, act="tanh", pool_type="sqrt") for size in (3, 4)]
    else:
        below = L.fc(embedded, 16)
        parts = [below, L.dynamic_lstm(below, 16)[0]]
        for _ in range(1):
            below = L.fc(parts, 16)
            parts = [below, L.dynamic_lstm(below, 16, is_reverse=True)[0]]
        parts = [L.sequence_pool(p, "max") for p in parts]
    prediction = L.fc(parts, 2, act="softmax")
    return prediction, L.mean(L.cross_entropy(prediction, label))


@pytest.mark.parametrize("kind", ["conv", "lstm"])
def test_sentiment_is_learned(kind):
    words, label = L.data("words", [1], dtype="int64", lod_level=1), L.data("label", [1], dtype="int64")
    prediction, loss = sentiment(words, label, kind)
    accuracy = L.accuracy(prediction, label)
    test_program = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adagrad(0.1).minimize(loss)
    exe, place = fluid.Executor(fluid.CPUPlace()), fluid.CPUPlace()
    exe.run(fluid.default_startup_program())
    feeder, rng = fluid.DataFeeder([words, label], place), np.random.RandomState(0)

    def batch():
        made = []
        for _ in range(16):
            y = int(rng.randint(2))
            made.append((rng.randint(10 * y, 10 * y + 20, rng.randint(2, 9)).tolist(), y))
        return feeder.feed(made)
    losses = [exe.run(feed=batch(), fetch_list=[loss])[0][0] for _ in range(30)]
    right = np.mean([exe.run(test_program, feed=batch(), fetch_list=[accuracy])[0] for _ in range(5)])
    assert np.mean(losses[-5:]) < 0.5 * losses[0] and right > 0.85


def encoder(words, size):
    forward = L.dynamic_gru(L.fc(L.embedding(words, [20, 8]), 3 * size), size)
    return L.sequence_last_step(forward)


SHARED = ("word_vectors", "state_words", "state_before", "state_bias", "word_scores", "word_bias")


def one_step(word, before, size):
    """The next state and the scores of words, with parameters that training and decoding share."""
    attr = {name: fluid.ParamAttr(name=name) for name in SHARED}
    state = L.fc([before, word], size, act="tanh", param_attr=[attr["state_before"], attr["state_words"]],
                 bias_attr=attr["state_bias"])
    return state, L.fc(state, 20, act="softmax", param_attr=attr["word_scores"], bias_attr=attr["word_bias"])


def test_a_decoder_trained_by_dynamic_rnn_translates_by_beam_search():
    """The book's chapter on translation, on made-up data: the target is the source's last word, three times, then the end."""
    size, end, start, beam = 16, 1, 0, 2
    source = L.data("source", [1], dtype="int64", lod_level=1)
    context = encoder(source, size)
    decoding, decoding_startup = fluid.default_main_program().clone(), fluid.Program()
    target, wanted = (L.data(n, [1], dtype="int64", lod_level=1) for n in ("target", "wanted"))
    embedded = L.embedding(target, [20, 8], param_attr=fluid.ParamAttr(name="word_vectors"))
    rnn = L.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(embedded)
        before = rnn.memory(init=context, need_reorder=True)
        state, scores = one_step(word, before, size)
        rnn.update_memory(before, state)
        rnn.output(scores)
    loss = L.mean(L.cross_entropy(rnn(), wanted))
    fluid.optimizer.Adam(0.03).minimize(loss)
    exe, rng = fluid.Executor(fluid.CPUPlace()), np.random.RandomState(1)
    exe.run(fluid.default_startup_program())
    feeder = fluid.DataFeeder([source, target, wanted], fluid.CPUPlace())

    def sample():
        words = rng.randint(2, 8, rng.randint(1, 5)).tolist()
        said = [words[-1]] * 3
        return words, [start, *said], [*said, end]
    losses = [exe.run(feed=feeder.feed([sample() for _ in range(16)]), fetch_list=[loss])[0][0] for _ in range(120)]
    assert losses[-1] < 0.1 * losses[0]

    with fluid.program_guard(decoding, decoding_startup):
        context = decoding.global_block().var(context.name)
        counter, limit = L.zeros([1], "int64"), L.fill_constant([1], "int64", 6)
        ids0, scores0 = L.data("ids", [1], dtype="int64", lod_level=2), L.data("scores", [1], lod_level=2)
        states, ids_array, scores_array = (L.array_write(v, counter) for v in (context, ids0, scores0))
        going = L.less_than(counter, limit)
        with L.While(going).block():
            ids, before, reached = (L.array_read(a, counter) for a in (ids_array, states, scores_array))
            expanded = L.sequence_expand(before, reached)
            word = L.embedding(ids, [20, 8], param_attr=fluid.ParamAttr(name="word_vectors"))
            state, chances = one_step(word, expanded, size)
            chances = L.lod_reset(chances, reached)
            top, which = L.topk(chances, beam)
            total = L.elementwise_add(L.log(top), L.reshape(reached, [-1]), axis=0)
            best_ids, best_scores = L.beam_search(ids, reached, which, total, beam, end)
            L.increment(counter, 1.0, in_place=True)
            for value, array in ((state, states), (best_ids, ids_array), (best_scores, scores_array)):
                L.array_write(value, counter, array)
            L.logical_and(L.less_than(counter, limit), L.logical_not(L.is_empty(best_ids)), out=going)
        sentences, _ = L.beam_search_decode(ids_array, scores_array, beam, end)
    words = [[3, 5], [7], [2, 4, 6]]
    first = fluid.create_lod_tensor(np.full([3, 1], start, "int64"), [[1] * 3, [1] * 3], None)
    zeros = fluid.create_lod_tensor(np.zeros([3, 1], "float32"), [[1] * 3, [1] * 3], None)
    packed = fluid.create_lod_tensor(np.concatenate(words).reshape(-1, 1), [[2, 1, 3]], None)
    feed = {"source": packed, "ids": first, "scores": zeros}
    found, = exe.run(decoding, feed=feed, fetch_list=[sentences], return_numpy=False)
    ends, flat = found.lod()[1], np.array(found).ravel()
    best = [flat[ends[beam * k]:ends[beam * k + 1]].tolist() for k in range(3)]
    assert best == [[start, *[w[-1]] * 3, end] for w in words]


def test_labels_are_learned_by_a_random_field():
    """The book's chapter on semantic roles in small: LSTMs to and fro under a conditional random field."""
    words, labels = (L.data(n, [1], dtype="int64", lod_level=1) for n in ("words", "labels"))
    below = L.fc(L.embedding(words, [20, 8]), 32, act="tanh")
    lstms = [L.dynamic_lstm(below, 32, candidate_activation="relu", cell_activation="sigmoid", is_reverse=back)[0]
             for back in (False, True)]
    scores = L.sums([L.fc(part, 5) for part in (below, *lstms)])
    loss = L.mean(L.linear_chain_crf(scores, labels, fluid.ParamAttr(name="crfw")))
    fluid.optimizer.Adam(0.03).minimize(loss)
    path = L.crf_decoding(scores, fluid.ParamAttr(name="crfw"))
    measures = L.chunk_eval(path, labels, "IOB", 2)
    exe, rng = fluid.Executor(fluid.CPUPlace()), np.random.RandomState(4)
    exe.run(fluid.default_startup_program())
    feeder = fluid.DataFeeder([words, labels], fluid.CPUPlace())

    def sample():
        ids = rng.randint(0, 20, rng.randint(2, 8))
        return ids.tolist(), (ids % 5).tolist()
    for _ in range(40):
        found = exe.run(feed=feeder.feed([sample() for _ in range(8)]), fetch_list=[loss, measures[2]])
    assert found[0][0] < 0.5 and found[1][0] > 0.9


@pytest.mark.parametrize("steps", [5, -1, 1])
def test_cells_run_over_padded_sequences(steps):
    """The steps are those of what is fed, whatever was declared."""
    values, lengths = RNG.uniform(-1, 1, (3, 5, 4)).astype("float32"), np.array([5, 2, 4])
    x, sizes = L.data("x", [-1, steps, 4]), L.data("sizes", [-1], dtype="int64")
    x.stop_gradient = False
    cells = [L.LSTMCell(6, forget_bias=0.5), L.GRUCell(6), L.GRUCell(6)]
    out, (hidden, cell) = L.rnn(cells[0], x, sequence_length=sizes)
    both, (ahead, behind) = L.birnn(*cells[1:], x, sequence_length=sizes)
    gradient, = fluid.gradients(L.reduce_sum(out * out) + L.reduce_sum(both), [x])
    got = run({"x": values, "sizes": lengths}, [out, hidden, cell, both, ahead, behind, gradient])
    w, b = (np.array(fluid.global_scope().find_var(v.name).get_tensor()) for v in fluid.default_main_program().all_parameters()[:2])

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def lstm(v, h, c):
        i, new, f, o = np.split(np.concatenate([v, h]) @ w + b, 4)
        c = sigmoid(f + 0.5) * c + sigmoid(i) * np.tanh(new)
        return sigmoid(o) * np.tanh(c), c
    for n, size in enumerate(lengths):
        h = c = np.zeros(6)
        for t in range(size):
            h, c = lstm(values[n, t], h, c)
            np.testing.assert_allclose(got[0][n, t], h, rtol=1e-4, atol=1e-5)
        for t in range(size, 5):  # past the length the state stays, and the cell goes on giving what it makes of it
            np.testing.assert_allclose(got[0][n, t], lstm(values[n, t], h, c)[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(got[1][n], h, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(got[2][n], c, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(got[4][n], got[3][n, size - 1, :6], rtol=1e-5)
        np.testing.assert_allclose(got[5][n], got[3][n, 0, 6:], rtol=1e-5)
    assert got[6][0].any()


def beam_decoder():
    """A decoder whose parameters are the same wherever it is made."""
    def attr(seed, *shape):
        values = np.random.RandomState(seed).uniform(-2, 2, shape).astype("float32")
        return paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(values))
    cell = paddle.nn.GRUCell(4, 4, attr(0, 12, 4), attr(1, 12, 4), attr(2, 12), attr(3, 12))
    project = paddle.nn.Linear(4, 6, attr(4, 4, 6), attr(5, 6))
    return L.BeamSearchDecoder(cell, 0, 1, 3, paddle.nn.Embedding(6, 4, weight_attr=attr(6, 6, 4)), project)


def test_a_program_decodes_as_an_eager_loop_does():
    start = np.random.RandomState(9).uniform(-1, 1, (5, 4)).astype("float32")
    paddle.enable_static()
    try:
        state = fluid.data("state", [None, 4])
        sentences, _, lengths = L.dynamic_decode(beam_decoder(), state, max_step_num=6, return_length=True)
        got = run({"state": start}, [sentences, lengths])
    finally:
        paddle.disable_static()
    wanted, _, sizes = paddle.nn.dynamic_decode(beam_decoder(), paddle.to_tensor(start), max_step_num=6, return_length=True)
    np.testing.assert_array_equal(got[0], wanted.numpy())
    np.testing.assert_array_equal(got[1], sizes.numpy())
    assert len(set(got[1].ravel().tolist())) > 1


def test_basic_decoders_read_what_their_helpers_say():
    values, lengths = RNG.uniform(-1, 1, (3, 5, 4)).astype("float32"), np.array([5, 2, 4])
    x, sizes, tokens = fluid.data("x", [None, 5, 4]), fluid.data("sizes", [None], "int64"), fluid.data("tokens", [None], "int64")
    cell = L.GRUCell(4)
    first = cell.get_initial_states(x)
    trained, last, read = L.dynamic_decode(L.BasicDecoder(cell, L.TrainingHelper(x, sizes)), first, impute_finished=True,
                                           return_length=True)
    outputs, final = L.rnn(cell, x, first, sizes)
    table = L.create_parameter([4, 4], "float32", attr=fixed(4, 4))
    kinds = [(L.GreedyEmbeddingHelper, {}), (L.SampleEmbeddingHelper, {"softmax_temperature": 1e-4})]
    said = [L.dynamic_decode(L.BasicDecoder(cell, kind(lambda ids: L.gather(table, ids), tokens, 1, **more)), first,
                             max_step_num=3)[0].sample_ids for kind, more in kinds]
    feed = {"x": values, "sizes": lengths, "tokens": np.array([0, 2, 3])}
    got = run(feed, [trained.cell_outputs, last, read, outputs, final, *said])
    np.testing.assert_array_equal(got[2], lengths)
    np.testing.assert_allclose(got[1], got[4], rtol=1e-5, atol=1e-6)
    live = np.arange(5) < lengths[:, None]
    np.testing.assert_allclose(got[0][live], got[3][live], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(got[5], got[6])  # so sharp that only the likeliest word is drawn


@rules_of("1.5", "1.6")
def test_more_steps_than_were_declared(version):
    """Data of layers.data were not checked: a StaticRNN runs over what is fed."""
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        x = fluid.layers.data("x", [1, -1, 2])
        rnn = fluid.layers.StaticRNN()
        with rnn.step():
            memory = rnn.memory(shape=[-1, 2], batch_ref=rnn.step_input(x), ref_batch_dim_idx=1)
            total = memory + rnn.step_input(x)
            rnn.update_memory(memory, total)
            rnn.output(total)
        value = np.arange(12, dtype="float32").reshape(3, 2, 2)
        got, = fluid.Executor(fluid.CPUPlace()).run(feed={"x": value}, fetch_list=[rnn()])
        np.testing.assert_array_equal(got, np.cumsum(value, 0))
