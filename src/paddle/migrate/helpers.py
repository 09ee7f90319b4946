"""Functions that a migrated program gets where one call of 2.x does not do what the old one did. They are text: they become part of
the user's program, which then runs without this package."""

from .helper_classes import CLASSES

FUNCTIONS = {
    "activated": '''
def activated(layer, act):
    """The layer, followed by an activation function (its old name, or None)."""
    if act is not None:
        layer.register_forward_post_hook(lambda layer, inputs, output: with_activation(output, act))
    return layer
''',
    "with_activation": '''
def with_activation(x, act):
    """x after an activation function (its old name, or None), with the settings that it had."""
    names = {"hard_sigmoid": "hardsigmoid", "hard_swish": "hardswish", "hard_shrink": "hardshrink", "tanh_shrink": "tanhshrink",
             "logsigmoid": "log_sigmoid"}
    settings = {"leaky_relu": [0.02], "hard_sigmoid": [0.2, 0.5]}
    if act is None:
        return x
    if act == "brelu":
        return paddle.clip(x, 0.0, 24.0)
    if act == "soft_relu":
        return paddle.log(1 + paddle.exp(paddle.clip(x, -40.0, 40.0)))
    function = getattr(paddle.nn.functional, names.get(act, act), None) or getattr(paddle, act)
    return function(x, *settings.get(act, []))
''',
    "with_batch": '''
def with_batch(shape):
    """The shape of a batch of such arrays; one with an open size is that of a batch already."""
    is_open = any(size is None or size < 0 for size in shape)
    return list(shape) if is_open else [-1] + list(shape)
''',
    "elementwise": '''
def elementwise(function, x, y, axis=-1):
    """function(x, y), with the axes of y beginning at an axis of x."""
    if axis != -1 and len(y.shape) < len(x.shape):
        y = paddle.reshape(y, list(y.shape) + [1] * (len(x.shape) - axis - len(y.shape)))
    return function(x, y)
''',
    "flatten": '''
def flatten(x, axis=1):
    """x as a matrix: the axes before one, and the others."""
    if axis == 0:
        return paddle.reshape(x, [1, -1])
    rows = 1
    for size in x.shape[:axis]:
        rows = -1 if size < 0 or rows < 0 else rows * size
    columns = 1
    for size in x.shape[axis:]:
        columns = -1 if size < 0 or columns < 0 else columns * size
    return paddle.reshape(x, [rows, columns])
''',
    "pool_layer": '''
def pool_layer(pool_size=-1, pool_type="max", pool_stride=1, pool_padding=0, global_pooling=False, ceil_mode=False, exclusive=True):
    """The pooling layer of a type that is known when the program runs."""
    if global_pooling:
        return paddle.nn.AdaptiveMaxPool2D(1) if pool_type == "max" else paddle.nn.AdaptiveAvgPool2D(1)
    if pool_type == "max":
        return paddle.nn.MaxPool2D(pool_size, stride=pool_stride, padding=pool_padding, ceil_mode=ceil_mode)
    return paddle.nn.AvgPool2D(pool_size, stride=pool_stride, padding=pool_padding, ceil_mode=ceil_mode, exclusive=exclusive)
''',
    "save_dygraph": '''
def save_dygraph(state_dict, model_path):
    """Save the state of a layer as .pdparams, of an optimizer as .pdopt."""
    parameter = paddle.base.framework.EagerParamBase
    is_layer = any(isinstance(value, parameter) for value in state_dict.values())
    paddle.save(state_dict, model_path + (".pdparams" if is_layer else ".pdopt"))
''',
    "load_dygraph": '''
def load_dygraph(model_path):
    """(state of the layer, state of the optimizer or None) of what save_dygraph wrote."""
    import os
    files = [model_path + ending for ending in (".pdparams", ".pdopt")]
    return tuple(paddle.load(file) if os.path.exists(file) else None for file in files)
''',
    "save_persistables": '''
def save_persistables(executor, dirname, main_program=None, filename=None):
    """Save the variables that a program keeps."""
    import os
    program = main_program or paddle.static.default_main_program()
    paddle.static.save(program, os.path.join(dirname, filename or "persistables"))
''',
    "load_persistables": '''
def load_persistables(executor, dirname, main_program=None, filename=None):
    """Load what save_persistables wrote."""
    import os
    program = main_program or paddle.static.default_main_program()
    paddle.static.load(program, os.path.join(dirname, filename or "persistables"), executor)
''',
    "save_inference_model": '''
def save_inference_model(dirname, feeded_var_names, target_vars, executor, main_program=None, model_filename=None,
                         params_filename=None):
    """Save a program from its inputs to its results, with parameters, in a folder."""
    import os
    program = main_program or paddle.static.default_main_program()
    feeds = [program.global_block().var(name) for name in feeded_var_names]
    paddle.static.save_inference_model(os.path.join(dirname, "model"), feeds, target_vars, executor, program=program)
    rename_model(dirname, model_filename, params_filename)
''',
    "rename_model": '''
def rename_model(dirname, model_filename=None, params_filename=None):
    """Give the files of a saved model the names that they had in 1.x; Paddle 3's own, with a model.json, stay."""
    import os
    if os.path.exists(os.path.join(dirname, "model.pdmodel")):
        os.replace(os.path.join(dirname, "model.pdmodel"), os.path.join(dirname, model_filename or "__model__"))
        if os.path.exists(os.path.join(dirname, "model.pdiparams")):  # there are parameters
            os.replace(os.path.join(dirname, "model.pdiparams"), os.path.join(dirname, params_filename or "__params__"))
''',
    "load_inference_model": '''
def load_inference_model(dirname, executor, model_filename=None, params_filename=None):
    """[program, names of the inputs, results] of a model in a folder, also of one that 1.x saved."""
    import os
    dynamic = paddle.in_dynamic_mode()
    paddle.enable_static()
    try:
        model, params = model_filename or "__model__", params_filename or "__params__"
        if not os.path.exists(os.path.join(dirname, model)):
            return paddle.static.load_inference_model(os.path.join(dirname, "model"), executor)
        params = params if os.path.exists(os.path.join(dirname, params)) else None  # then one file per variable
        return paddle.static.load_inference_model(dirname, executor, model_filename=model, params_filename=params)
    finally:
        if dynamic:
            paddle.disable_static()
''',
    "distributed_batch_reader": '''
def distributed_batch_reader(batch_reader):
    """A reader of the batches that are this rank's: the ranks take turns."""
    def read():
        turn = []
        for batch in batch_reader():
            turn.append(batch)
            if len(turn) == paddle.distributed.get_world_size():  # ranks take equally many: the last turn may be cut short
                yield turn[paddle.distributed.get_rank()]
                turn = []
    return read
''',
    "cosine_decay": '''
def cosine_decay(learning_rate, step_each_epoch, epochs):
    """A schedule that falls by epochs along half a cosine."""
    import math
    return paddle.optimizer.lr.LambdaDecay(
        learning_rate, lambda step: 0.5 * (math.cos(step // step_each_epoch * math.pi / epochs) + 1))
''',
    "minimize": '''
def minimize(optimizer, loss, layers=None, grad_clip=None, **settings):
    """Update the parameters (of these layers, if the optimizer knows none), and advance the schedule of the learning rate."""
    if layers is not None and vars(optimizer).get("layers", layers) is None:
        optimizer.layers = lambda: layers
    rate = optimizer._learning_rate
    if grad_clip is not None:
        (vars(optimizer).get("made") or optimizer)._grad_clip = grad_clip
    done = optimizer.minimize(loss, **settings)
    if isinstance(rate, paddle.optimizer.lr.LRScheduler):
        rate.step()
    return done
''',
    "full_batch_like": '''
def full_batch_like(input, shape, dtype, value, input_dim_idx=0, output_dim_idx=0):
    """A tensor of one value, with the batch size of another."""
    shape = list(shape)
    shape[output_dim_idx] = paddle.shape(input)[input_dim_idx]
    return paddle.full(shape, value, dtype)
''',
    "img_conv_group": '''
def img_conv_group(input, conv_num_filter, pool_size, conv_padding=1, conv_filter_size=3, conv_act=None, param_attr=None,
                   conv_with_batchnorm=False, conv_batchnorm_drop_rate=0.0, pool_stride=1, pool_type="max"):
    """Convolutions, with batch norm and dropout where asked for, and a pooling."""
    def each(value):
        return value if isinstance(value, (list, tuple)) else [value] * len(conv_num_filter)
    settings = zip(conv_num_filter, each(conv_filter_size), each(conv_padding), each(param_attr), each(conv_with_batchnorm),
                   each(conv_batchnorm_drop_rate))
    x = input
    for filters, size, padding, attr, with_norm, drop in settings:
        x = paddle.static.nn.conv2d(x, filters, size, padding=padding, param_attr=attr, act=None if with_norm else conv_act)
        if with_norm:
            x = paddle.static.nn.batch_norm(x, act=conv_act)
            x = paddle.nn.functional.dropout(x, drop, mode="downscale_in_infer") if drop > 1e-5 else x
    pool = paddle.nn.functional.max_pool2d if pool_type == "max" else paddle.nn.functional.avg_pool2d
    return pool(x, pool_size, stride=pool_stride)
''',
    "sequence_conv_pool": '''
def sequence_conv_pool(input, num_filters, filter_size, param_attr=None, act="sigmoid", pool_type="max", bias_attr=None):
    """A convolution along sequences and a pooling over each."""
    x = paddle.static.nn.sequence_lod.sequence_conv(input, num_filters, filter_size, param_attr=param_attr, bias_attr=bias_attr,
                                                    act=act)
    return paddle.static.nn.sequence_lod.sequence_pool(x, pool_type)
''',
    "piecewise_decay": '''
def piecewise_decay(boundaries, values):
    """A schedule of constant pieces; without boundaries the only value."""
    return paddle.optimizer.lr.PiecewiseDecay(boundaries, values) if len(boundaries) else float(values[0])
''',
    "keep_gradients": '''
def keep_gradients(*tensors):
    """Let results keep the gradients that backward() will give them."""
    for x in tensors:
        if not x.stop_gradient:
            x.retain_grads()
''',
    "to_variable": '''
def to_variable(value, dtype=None):
    """A tensor of data that receives gradients, if its elements are floats."""
    x = paddle.to_tensor(value, dtype=dtype)
    x.stop_gradient = not paddle.is_floating_point(x)
    return x
''',
    "gradient_of": '''
def gradient_of(x):
    """The gradient of x as an array: zeros where x is cut off from it, None where it has none yet."""
    found = x.gradient()
    return paddle.zeros_like(x).numpy() if found is None and x.stop_gradient else found
''',
    "any_gradient_of": '''
def any_gradient_of(x):
    """The gradient of x as an array: zeros where x is a parameter or cut off and got none."""
    found = x.gradient()
    is_parameter = isinstance(x, paddle.base.framework.EagerParamBase)
    return paddle.zeros_like(x).numpy() if found is None and (x.stop_gradient or is_parameter) else found
''',
    "init_parallel": '''
def init_parallel():
    """Join the other processes; builds without GPUs exchange gradients by gloo."""
    import os
    if not paddle.is_compiled_with_cuda():
        os.environ.setdefault("PADDLE_DISTRI_BACKEND", "gloo")
    return paddle.distributed.init_parallel_env()
''',
    "save_traced": '''
def save_traced(layer, dirname, feed=None, fetch=None):
    """Save a layer whose forward is a static function that was called, with the results of the numbers in fetch."""
    import os
    results = layer.forward.concrete_program.outputs
    chosen = None if fetch is None else [results[k] for k in fetch]
    paddle.jit.save(layer, os.path.join(dirname, "model"), output_spec=chosen)
    rename_model(dirname)
''',
    "seeded_dropout": '''
def seeded_dropout(x, p, seed, training=True, mode="upscale_in_train"):
    """Dropout with a seed of its own (or None), which makes it draw the same elements at every call."""
    program = paddle.static.default_main_program()
    before = program.random_seed
    if seed is not None:
        program.random_seed = seed  # dropout reads it, in dynamic mode too
    try:
        return paddle.nn.functional.dropout(x, p, training=training, mode=mode)
    finally:
        program.random_seed = before
''',
    "save_state": '''
def save_state(model_dict, dirname="save_dir", optimizers=None):
    """Save the state of a layer, and of an optimizer, in a folder."""
    import os
    paddle.save(model_dict, os.path.join(dirname, "model.pdparams"))
    if optimizers is not None:
        paddle.save(optimizers.state_dict(), os.path.join(dirname, "model.pdopt"))
''',
    "load_state": '''
def load_state(dirname="save_dir"):
    """(state of the layer, state of the optimizer or None) of what save_state wrote."""
    import os
    files = [os.path.join(dirname, "model" + ending) for ending in (".pdparams", ".pdopt")]
    return tuple(paddle.load(file) if os.path.exists(file) else None for file in files)
''',
}
HELPERS = {**FUNCTIONS, **CLASSES}
