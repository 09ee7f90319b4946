"""Linear, embedding, norm, dropout, distance, attention, recurrent and Transformer layers and functions."""
# ruff: noqa: E501, a line of the table is a case's name

from oracle_table import b, f, i, lit, pos, program, table

table("""
F.linear(x, w)
F.linear(x, w, b)
F.linear(y, w, b)
layer(nn.Linear(4, 3), x)
layer(nn.Linear(4, 3, bias_attr=False), y)
layer(nn.Bilinear(4, 3, 5), x, p)
F.bilinear(x, p, q)
layer(nn.Flatten(), y)
layer(nn.Flatten(0, 1), y)
layer(nn.Unflatten(1, [2, 2]), x)
layer(nn.CosineSimilarity(axis=1), x, x * 0.5 + 1)
F.cosine_similarity(x, x * x)
F.cosine_similarity(y, y * y, axis=-1, eps=0.1)
F.pairwise_distance(x, x * x)
F.pairwise_distance(x, x * x, p=1.0, keepdim=True)
layer(nn.PairwiseDistance(p=3.0), x, x * x)
F.normalize(x)
F.normalize(x, p=1, axis=0)
F.normalize(y, p=3, axis=-1)
F.dropout(x, 0.5, training=False)
F.dropout(x, 0.5, training=False, mode='downscale_in_infer')
F.dropout(x, 0.0)
F.dropout(x, 1.0)
F.dropout2d(r, 0.3, training=False)
F.dropout3d(paddle.unsqueeze(r, 2), 0.3, training=False)
F.alpha_dropout(x, 0.3, training=False)
m = nn.Dropout(0.5); m.eval(); layer(m, x)
m = nn.Dropout(0.5, mode='downscale_in_infer'); m.eval(); layer(m, x)
m = nn.Dropout2D(0.5); m.eval(); layer(m, r)
m = nn.AlphaDropout(0.5); m.eval(); layer(m, x)
m = nn.Dropout3D(0.5); m.eval(); layer(m, paddle.unsqueeze(r, 2))
F.label_smooth(F.one_hot(paddle.to_tensor([0, 2]), 4))
F.label_smooth(F.one_hot(paddle.to_tensor([0, 2]), 4), epsilon=0.2)
F.label_smooth(paddle.abs(x), prior_dist=paddle.to_tensor([[0.1, 0.2, 0.3, 0.4]]), epsilon=0.3)
F.sequence_mask(paddle.to_tensor([1, 3, 2]))
F.sequence_mask(paddle.to_tensor([1, 3, 2]), maxlen=4, dtype='float32')
""", x=f(5, 4), w=f(4, 3), b=f(3), y=f(2, 3, 4), p=f(5, 3), q=f(6, 4, 3), r=f(2, 3, 2, 2), rtol=3e-5)

table("""
F.embedding(k, w)
F.embedding(k, w, padding_idx=2)
F.embedding(k, w, padding_idx=-1)
F.embedding(k, w, sparse=False)
F.embedding(k.astype('int32'), w)
F.embedding(k.flatten()[0], w)
F.embedding(k.flatten()[0], w, padding_idx=2)
layer(nn.Embedding(6, 3), k)
layer(nn.Embedding(6, 3, padding_idx=1), k)
""", k=i(2, 4, high=6), w=f(6, 3))

table("""
layer(nn.BatchNorm1D(3), x)
layer(nn.BatchNorm1D(3, momentum=0.7, epsilon=1e-3), x)
layer(nn.BatchNorm1D(3), y)
layer(nn.BatchNorm1D(4, data_format='NLC'), y)
layer(nn.BatchNorm2D(3), z)
layer(nn.BatchNorm2D(3, weight_attr=False, bias_attr=False), z)
layer(nn.BatchNorm2D(3, use_global_stats=True), z)
layer(nn.BatchNorm2D(5, data_format='NHWC'), z)
m = nn.BatchNorm2D(3); m.eval(); layer(m, z)
layer(nn.BatchNorm3D(3), v)
layer(nn.BatchNorm(3, act='relu'), z)
m = nn.BatchNorm(3, is_test=True); m.eval(); layer(m, z)
layer(nn.LayerNorm(5), z)
layer(nn.LayerNorm([4, 5]), z)
layer(nn.LayerNorm([3, 4, 5], epsilon=1e-3), z)
layer(nn.LayerNorm(5, weight_attr=False, bias_attr=False), z)
layer(nn.GroupNorm(3, 3), z)
layer(nn.GroupNorm(num_groups=1, num_channels=3, epsilon=1e-3), z)
layer(nn.GroupNorm(1, 3), y)
layer(nn.InstanceNorm1D(3), y)
layer(nn.InstanceNorm2D(3), z)
layer(nn.InstanceNorm2D(3, weight_attr=False, bias_attr=False), z)
layer(nn.InstanceNorm3D(3), v)
layer(nn.LocalResponseNorm(3), z)
layer(nn.LocalResponseNorm(size=2, alpha=0.1, beta=0.5, k=2.0), z)
layer(nn.SpectralNorm([3, 4], dim=0, power_iters=2), w.detach())
F.batch_norm(z, mean, var, scale, shift)
F.batch_norm(z, mean, var, scale, shift, training=True, momentum=0.8), mean, var
F.batch_norm(z, mean, var, training=False, epsilon=1e-2)
F.layer_norm(z, 5)
F.layer_norm(z, [4, 5], weight=g.flatten(), bias=g.flatten() + 1)
F.layer_norm(z, z.shape[1:], epsilon=1e-4)
F.instance_norm(z)
F.instance_norm(z, weight=scale, bias=shift)
F.local_response_norm(z, 3)
F.local_response_norm(y, 5, alpha=1e-2)
""", x=f(6, 3), y=f(2, 3, 4), z=f(2, 3, 4, 5), v=f(2, 3, 2, 3, 2), w=f(3, 4), mean=f(3), var=pos(3), scale=f(3),
      shift=f(3), g=f(4, 5), rtol=5e-5, atol=2e-5)

# recurrent
CELLS = """
layer(nn.SimpleRNNCell(4, 3), x)
layer(nn.SimpleRNNCell(4, 3, activation='relu'), x, h)
layer(nn.LSTMCell(4, 3), x)
layer(nn.LSTMCell(4, 3), x, (h, h * 0.5))
layer(nn.GRUCell(4, 3), x)
layer(nn.GRUCell(4, 3), x, h)
layer(nn.RNN(nn.GRUCell(4, 3)), s)
layer(nn.RNN(nn.LSTMCell(4, 3), is_reverse=True), s)
layer(nn.RNN(nn.SimpleRNNCell(4, 3), time_major=True), s)
layer(nn.RNN(nn.GRUCell(4, 3)), s, sequence_length=n)[1]
layer(nn.BiRNN(nn.LSTMCell(4, 3), nn.LSTMCell(4, 3)), s)
layer(nn.BiRNN(nn.GRUCell(4, 3), nn.GRUCell(4, 3)), s, sequence_length=n)[1]
layer(nn.SimpleRNN(4, 3), s)
layer(nn.SimpleRNN(4, 3, num_layers=2, activation='relu'), s)
layer(nn.SimpleRNN(4, 3, direction='bidirect'), s)
layer(nn.LSTM(4, 3), s)
layer(nn.LSTM(4, 3, num_layers=2), s)
layer(nn.LSTM(4, 3, direction='bidirectional'), s)
layer(nn.LSTM(4, 3, num_layers=2, direction='bidirect'), s)
layer(nn.LSTM(4, 3, time_major=True), s)
layer(nn.LSTM(4, 3), s, sequence_length=n)
layer(nn.LSTM(4, 3, direction='bidirect'), s, sequence_length=n)
layer(nn.LSTM(4, 3), s, (c, c * 0.5))
layer(nn.GRU(4, 3), s)
layer(nn.GRU(4, 3, num_layers=2, direction='bidirect'), s)
layer(nn.GRU(4, 3), s, c)
layer(nn.GRU(4, 3), s, c, n)
layer(nn.GRU(4, 3, time_major=True), s)
"""
table(CELLS, x=f(2, 4), h=f(2, 3), s=f(2, 5, 4), c=f(1, 2, 3), n=lit([5, 3], "int64"), rtol=5e-5, atol=1e-5)

# attention and Transformer, without dropout
table("""
layer(nn.MultiHeadAttention(4, 2, 0.0), s)
layer(nn.MultiHeadAttention(4, 2, 0.0), s, t, t)
layer(nn.MultiHeadAttention(4, 2, 0.0), s, s, s, m)
layer(nn.MultiHeadAttention(4, 2, 0.0), s, s, s, paddle.cast(m, 'float32') * -2.0)
layer(nn.MultiHeadAttention(4, 2, 0.0, need_weights=True), s)
layer(nn.MultiHeadAttention(4, 1, 0.0, kdim=6, vdim=6), s, u, u)
a = fill(nn.MultiHeadAttention(4, 2, 0.0)); a.eval(); cache = a.gen_cache(s); out, cache = a(s, s, s, None, cache); out, cache.k, cache.v
a = fill(nn.MultiHeadAttention(4, 2, 0.0)); a.eval(); cache = a.gen_cache(t, t, nn.MultiHeadAttention.StaticCache); a(s, t, t, None, cache)[0]
layer(nn.TransformerEncoderLayer(4, 2, 8, 0.0), s)
layer(nn.TransformerEncoderLayer(4, 2, 8, 0.0, activation='gelu', normalize_before=True), s)
layer(nn.TransformerEncoderLayer(4, 2, 8, 0.0), s, m)
layer(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0), 2), s)
layer(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0), 1, nn.LayerNorm(4)), s)
layer(nn.TransformerDecoderLayer(4, 2, 8, 0.0), s, t)
layer(nn.TransformerDecoderLayer(4, 2, 8, 0.0, normalize_before=True), s, t, m)
layer(nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0), 2, nn.LayerNorm(4)), s, t)
layer(nn.Transformer(4, 2, 1, 1, 8, 0.0), t, s)
layer(nn.Transformer(4, 2, 1, 1, 8, 0.0, normalize_before=True), t, s)
nn.Transformer.generate_square_subsequent_mask(nn.Transformer(4, 2, 1, 1, 8), 3)
F.scaled_dot_product_attention(q, q, q)
""", s=f(2, 3, 4), t=f(2, 5, 4), u=f(2, 5, 6), m=b(2, 2, 3, 3), q=f(2, 3, 2, 4), rtol=1e-4, atol=2e-5)

# containers
table("""
layer(nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)), x)
layer(nn.Sequential(('a', nn.Linear(4, 3)), ('b', nn.Tanh())), x)
list(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)).state_dict())
list(nn.LayerList([nn.Linear(2, 2), nn.Linear(2, 2)]).state_dict())
list(nn.LayerDict({'p': nn.Linear(2, 2), 'q': nn.ReLU()}).state_dict())
len(nn.ParameterList([paddle.create_parameter([2], 'float32') for _ in range(3)]).parameters())
w = nn.utils.weight_norm(nn.Linear(4, 3)); sorted(w.state_dict()), [list(v.shape) for v in w.state_dict().values()]
w = nn.utils.weight_norm(nn.Linear(4, 3)); fill(w); w(x)
w = nn.utils.weight_norm(nn.Conv2D(2, 3, 3), dim=0); fill(w); w(x.reshape([1, 2, 3, 4]))
w = nn.utils.remove_weight_norm(nn.utils.weight_norm(nn.Linear(4, 3))); sorted(w.state_dict())
w = nn.utils.spectral_norm(nn.Linear(4, 3)); sorted(w.state_dict())
nn.utils.parameters_to_vector(fill(nn.Linear(4, 3)).parameters())
m = nn.Linear(4, 3); nn.utils.vector_to_parameters(paddle.arange(15.0), m.parameters()); m.weight, m.bias
m = fill(nn.Linear(4, 3)); m(x).sum().backward(); nn.utils.clip_grad_norm_(m.parameters(), 1.0), m.weight.grad, m.bias.grad
m = fill(nn.Linear(4, 3)); m(x).sum().backward(); nn.utils.clip_grad_norm_(m.parameters(), 1.0, 1.0), m.weight.grad
m = fill(nn.Linear(4, 3)); m(x).sum().backward(); nn.utils.clip_grad_norm_(m.parameters(), 1.0, float('inf')), m.weight.grad
m = fill(nn.Linear(4, 3)); m(x).sum().backward(); nn.utils.clip_grad_value_(m.parameters(), 0.5); m.weight.grad, m.bias.grad
""", x=f(6, 4), rtol=5e-5)


@program(x=f(3, 4))
def hooks_and_modes(ns, x):
    paddle, nn = ns["paddle"], ns["nn"]
    model = ns["fill"](nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5)))
    model.eval()
    pre = model.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 2,))
    post = model.register_forward_post_hook(lambda layer, inputs, output: output + 1)
    with_hooks = model(x)
    pre.remove()
    post.remove()
    return with_hooks, model(x), model.training, [m.training for m in model.sublayers()], paddle.is_tensor(x)


@program(x=f(3, 4), rtol=5e-5)
def containers_in_a_layer(ns, x):
    paddle, nn = ns["paddle"], ns["nn"]

    class Block(nn.Layer):
        def __init__(self):
            super().__init__()
            self.scales = nn.ParameterList([self.create_parameter([4]) for _ in range(2)])
            self.steps = nn.LayerList([nn.Linear(4, 4) for _ in range(2)])
            self.ends = nn.LayerDict({"left": nn.Linear(4, 2), "right": nn.Linear(4, 2)})

        def forward(self, x):
            for scale, step in zip(self.scales, self.steps):
                x = paddle.tanh(step(x * scale))
            return self.ends["left"](x) - self.ends["right"](x)
    return ns["layer"](Block(), x)


@program(s=f(2, 5, 3), rtol=5e-5)
def cell_of_ones_own(ns, s):
    paddle, nn = ns["paddle"], ns["nn"]

    class Leaky(nn.RNNCellBase):
        def __init__(self):
            super().__init__()
            self.input_size, self.mix = 3, nn.Linear(3, 4)

        @property
        def state_shape(self):
            return [4]

        def forward(self, inputs, states=None):
            states = self.get_initial_states(inputs) if states is None else states
            new = states * 0.5 + paddle.tanh(self.mix(inputs))
            return new, new
    return ns["layer"](nn.RNN(Leaky()), s)


@program()
def layer_bookkeeping(ns):
    paddle, nn = ns["paddle"], ns["nn"]

    class Block(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 3)
            self.scale = self.create_parameter([3], default_initializer=nn.initializer.Constant(2.0))
            self.register_buffer("seen", paddle.zeros([1]))
            self.register_buffer("hidden", paddle.ones([2]), persistable=False)
            self.rest = nn.LayerList([nn.Linear(3, 3), nn.BatchNorm1D(3)])

        def forward(self, x):
            return self.rest[1](self.rest[0](self.first(x) * self.scale))

    block = Block()
    return [list(block.state_dict()), [n for n, _ in block.named_parameters()], [n for n, _ in block.named_buffers()],
            [n for n, _ in block.named_sublayers()], [n for n, _ in block.named_children()], len(block.parameters()),
            [n for n, _ in block.named_sublayers(include_self=True)], len(block.sublayers()), block.scale]


@program()
def set_state_dict_reports(ns):
    paddle, nn = ns["paddle"], ns["nn"]
    model = nn.Linear(2, 3)
    missing, unexpected = model.set_state_dict({"weight": paddle.ones([2, 3]), "other": paddle.ones([1])})
    return missing, unexpected, model.weight


@program(rtol=5e-5)
def beam_search(ns):
    """Greedy-like decoding with given weights: indices, not probabilities."""
    paddle, nn, fill = ns["paddle"], ns["nn"], ns["fill"]
    embed, cell, project = fill(nn.Embedding(6, 4)), fill(nn.GRUCell(4, 4)), fill(nn.Linear(4, 6))
    decoder = nn.BeamSearchDecoder(cell, start_token=0, end_token=1, beam_size=2, embedding_fn=embed, output_fn=project)
    outputs, _ = nn.dynamic_decode(decoder, inits=paddle.ones([2, 4]) * 0.3, max_step_num=4)
    return outputs


@program(rtol=5e-5)
def beam_search_time_major(ns):
    paddle, nn, fill = ns["paddle"], ns["nn"], ns["fill"]
    embed, cell, project = fill(nn.Embedding(6, 4)), fill(nn.LSTMCell(4, 4)), fill(nn.Linear(4, 6))
    decoder = nn.BeamSearchDecoder(cell, start_token=0, end_token=1, beam_size=3, embedding_fn=embed, output_fn=project)
    start = (paddle.ones([2, 4]) * 0.3, paddle.ones([2, 4]) * -0.2)
    outputs, states, lengths = nn.dynamic_decode(decoder, start, 5, True, False, is_test=True, return_length=True)
    return outputs, states.log_probs, states.finished, lengths


@program(rtol=5e-5)
def decoder_of_ones_own(ns):
    """A loop that stops by itself, and that keeps the states of sequences that have ended."""
    paddle, nn, fill = ns["paddle"], ns["nn"], ns["fill"]
    cell = fill(nn.GRUCell(3, 3))

    class Counting:
        def initialize(self, inits):
            return paddle.ones([2, 3]), inits, paddle.zeros([2], dtype="bool")

        def step(self, time, inputs, states, **kwargs):
            out, new = cell(inputs, states)
            return out, new, out, paddle.to_tensor([True, False]) if int(time) == 1 else paddle.to_tensor([False, int(time) > 3])

        def finalize(self, outputs, final_states, sequence_lengths):
            raise NotImplementedError("there is nothing to be done at the end")

        @property
        def tracks_own_finished(self):
            return False
    outs = []
    for impute in (False, True):
        outputs, states, lengths = nn.dynamic_decode(Counting(), paddle.zeros([2, 3]), 6, impute_finished=impute, return_length=True)
        outs += [outputs, states, lengths]
    return outs


@program()
def gather_tree(ns):
    paddle = ns["paddle"]
    ids = paddle.to_tensor([[[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]]])
    parents = paddle.to_tensor([[[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]])
    return ns["F"].gather_tree(ids, parents)
