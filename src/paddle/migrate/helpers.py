"""Functions that a migrated program gets where one call of 2.x does not do what the old one did. They are text: they become part of
the user's program, which then runs without this package."""

HELPERS = {
    "activated": '''
def activated(layer, act):
    """The layer, followed by an activation function (its name, or None)."""
    if act is not None:
        layer.register_forward_post_hook(lambda layer, inputs, output: getattr(paddle.nn.functional, act)(output))
    return layer
''',
    "with_activation": '''
def with_activation(x, act):
    """x after an activation function (its name, or None)."""
    return x if act is None else getattr(paddle.nn.functional, act)(x)
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
    is_layer = any(isinstance(value, paddle.Tensor) and value.persistable and not key.endswith(("_0", "_1"))
                   for key, value in state_dict.items()) and "LR_Scheduler" not in state_dict
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
def save_inference_model(dirname, feeded_var_names, target_vars, executor, main_program=None):
    """Save a program from its inputs to its results, with parameters."""
    import os
    program = main_program or paddle.static.default_main_program()
    feeds = [program.global_block().var(name) for name in feeded_var_names]
    paddle.static.save_inference_model(os.path.join(dirname, "model"), feeds, target_vars, executor, program=program)
''',
    "load_inference_model": '''
def load_inference_model(dirname, executor):
    """[program, names of the inputs, results] of what save_inference_model wrote."""
    import os
    return paddle.static.load_inference_model(os.path.join(dirname, "model"), executor)
''',
}
