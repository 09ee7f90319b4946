"""Optimizers over a few steps from given weights, gradient clips, regularizers, schedulers over a few epochs."""

import numpy as np
from oracle_table import Case, add, evaluate

WEIGHT = np.array([[0.5, -0.3, 0.8], [-0.6, 0.1, 0.4]], "float32")
BIAS = np.array([0.2, -0.1, 0.05], "float32")
X = np.array([[1.0, 2.0], [-1.0, 0.5], [0.3, -0.7], [2.0, 1.0]], "float32")
TARGET = np.array([[1.0, 0.0, -1.0], [0.5, 0.5, 0.0], [0.0, 1.0, 1.0], [-1.0, 2.0, 0.3]], "float32")


def model(ns, **attributes):
    """Linear 2 -> 3 with the given weights; attributes: weight_attr, bias_attr."""
    layer = ns["nn"].Linear(2, 3, **attributes)
    layer.weight.set_value(WEIGHT)
    if layer.bias is not None:
        layer.bias.set_value(BIAS)
    return layer


def steps(ns, layer, optimizer, number=5):
    """Values of the parameters after each step, and the loss."""
    paddle, trace = ns["paddle"], []
    for _ in range(number):
        loss = ((layer(paddle.to_tensor(X)) - paddle.to_tensor(TARGET)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        trace.append([float(loss)] + [parameter.numpy().copy() for parameter in layer.parameters()])
    return trace



def optimizer_case(text, attributes="", number=5):
    """`text` builds the optimizer `from parameters p`; `attributes` are keyword arguments of the layer."""
    def run(ns):
        layer = model(ns, **evaluate(f"dict({attributes})", ns))
        made = evaluate(text, dict(ns, p=layer.parameters(), layer=layer))
        return steps(ns, layer, made, number)
    add(Case(f"train: {text}" + (f" with {attributes}" if attributes else ""), run, {}, 1e-5, 1e-6, grad=False))


for text in """
optimizer.SGD(0.1, parameters=p)
optimizer.SGD(0.1, parameters=p, weight_decay=0.1)
optimizer.SGD(0.1, parameters=p, weight_decay=paddle.regularizer.L1Decay(0.05))
optimizer.SGD(0.1, parameters=p, grad_clip=nn.ClipGradByValue(0.2))
optimizer.SGD(0.1, parameters=p, grad_clip=nn.ClipGradByValue(0.3, -0.1))
optimizer.SGD(0.1, parameters=p, grad_clip=nn.ClipGradByNorm(0.3))
optimizer.SGD(0.1, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(0.4))
optimizer.SGD(0.1, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(0.4), weight_decay=0.2)
optimizer.Momentum(0.1, parameters=p)
optimizer.Momentum(0.1, 0.8, parameters=p, use_nesterov=True)
optimizer.Momentum(0.1, parameters=p, weight_decay=0.05)
optimizer.Adam(0.05, parameters=p)
optimizer.Adam(0.05, beta1=0.8, beta2=0.9, epsilon=1e-3, parameters=p)
optimizer.Adam(0.05, parameters=p, weight_decay=0.1)
optimizer.Adam(0.05, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(0.1))
optimizer.AdamW(0.05, parameters=p)
optimizer.AdamW(0.05, parameters=p, weight_decay=0.3)
optimizer.AdamW(0.05, parameters=p, weight_decay=0.3, apply_decay_param_fun=lambda name: '.w_' in name)
optimizer.Adamax(0.05, parameters=p)
optimizer.Adamax(0.05, beta1=0.7, beta2=0.9, parameters=p, weight_decay=0.1)
optimizer.Adagrad(0.1, parameters=p)
optimizer.Adagrad(0.1, parameters=p, initial_accumulator_value=0.3, epsilon=1e-3)
optimizer.Adadelta(0.5, parameters=p)
optimizer.Adadelta(1.0, epsilon=1e-3, rho=0.8, parameters=p)
optimizer.RMSProp(0.05, parameters=p)
optimizer.RMSProp(0.05, rho=0.8, epsilon=1e-3, momentum=0.5, parameters=p)
optimizer.RMSProp(0.05, centered=True, parameters=p)
optimizer.Lamb(0.05, parameters=p)
optimizer.Lamb(0.05, lamb_weight_decay=0.2, parameters=p)
optimizer.Lamb(0.05, lamb_weight_decay=0.2, parameters=p, exclude_from_weight_decay_fn=lambda q: '.b_' in q.name)
optimizer.AdamW(0.05, beta1=0.7, beta2=0.8, epsilon=1e-2, parameters=p, grad_clip=nn.ClipGradByNorm(0.1))
optimizer.Adamax(0.05, epsilon=1e-2, parameters=p, grad_clip=nn.ClipGradByValue(0.1))
optimizer.Adagrad(0.1, parameters=p, weight_decay=0.1, grad_clip=nn.ClipGradByNorm(0.2))
optimizer.Adadelta(0.5, parameters=p, weight_decay=paddle.regularizer.L1Decay(0.1), grad_clip=nn.ClipGradByGlobalNorm(0.2))
optimizer.RMSProp(0.05, momentum=0.3, centered=True, parameters=p, weight_decay=0.1, grad_clip=nn.ClipGradByGlobalNorm(0.2))
optimizer.Lamb(0.05, beta1=0.7, beta2=0.8, epsilon=1e-2, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(0.2))
optimizer.Lamb(0.05, lamb_weight_decay=0.0, parameters=p)
optimizer.Lamb(0.05, lamb_weight_decay=0.0, parameters=p, always_adapt=True)
optimizer.Adam(0.05, parameters=p, use_multi_tensor=True)
optimizer.Momentum(0.1, parameters=p, use_multi_tensor=True)
optimizer.SGD(lr.StepDecay(0.2, 2, 0.5), parameters=p)
optimizer.SGD(0.1, parameters=[{'params': [layer.weight]}, {'params': [layer.bias], 'learning_rate': 0.5}])
optimizer.Adam(0.05, parameters=[dict(params=[layer.weight], weight_decay=0.2), dict(params=[layer.bias], beta1=0.5)])
""".strip().splitlines():
    optimizer_case(text)

# groups: whatever an optimizer lets a group say for itself
GROUPS = {
    "SGD(0.1, weight_decay=0.1": ["learning_rate=0.5", "weight_decay=0.4", "weight_decay=0.0", "weight_decay=None",
                                  "weight_decay=paddle.regularizer.L1Decay(0.1)", "grad_clip=nn.ClipGradByNorm(0.1)"],
    "Momentum(0.1, grad_clip=nn.ClipGradByGlobalNorm(0.3)": ["momentum=0.5", "use_nesterov=True", "grad_clip=None"],
    "Adam(0.05": ["beta1=0.5", "beta2=0.7", "epsilon=0.1", "weight_decay=0.3", "learning_rate=0.1"],
    "AdamW(0.05": ["beta1=0.5, beta2=0.7", "epsilon=0.1", "weight_decay=0.3", "weight_decay=0.0", "learning_rate=0.1"],
    "Adamax(0.05": ["beta1=0.5, beta2=0.7", "epsilon=0.1"],
    "Adagrad(0.1": ["epsilon=0.1", "initial_accumulator_value=0.5"],
    "Adadelta(0.5": ["epsilon=0.1, rho=0.7"],
    "RMSProp(0.05": ["rho=0.7", "epsilon=0.1, momentum=0.5", "centered=True"],
    "Lamb(0.05": ["beta1=0.5, beta2=0.7", "epsilon=0.1", "lamb_weight_decay=0.3",
                  "exclude_from_weight_decay_fn=lambda q: True", "weight_decay=0.2"],
}
for made, settings in GROUPS.items():
    for setting in settings:
        groups = f"parameters=[dict(params=[layer.weight], {setting}), dict(params=layer.bias)]"
        optimizer_case(f"optimizer.{made}, {groups})", number=3)
for attributes in ["weight_attr=paddle.ParamAttr(learning_rate=0.3)",
                   "weight_attr=paddle.ParamAttr(regularizer=paddle.regularizer.L2Decay(0.5))"]:
    for made in ["SGD(0.1, weight_decay=0.1", "SGD(0.1", "AdamW(0.1"]:
        for setting in ["", "learning_rate=0.7", "weight_decay=0.2"]:
            optimizer_case(f"optimizer.{made}, parameters=[dict(params=p, {setting})])", attributes, 3)
for attributes in ["weight_attr=paddle.ParamAttr(learning_rate=0.3)",
                   "weight_attr=paddle.ParamAttr(regularizer=paddle.regularizer.L2Decay(0.5))",
                   "weight_attr=paddle.ParamAttr(regularizer=paddle.regularizer.L1Decay(0.2)), bias_attr=False",
                   "bias_attr=paddle.ParamAttr(need_clip=False)", "bias_attr=paddle.ParamAttr(trainable=False)"]:
    optimizer_case("optimizer.Momentum(0.1, parameters=p, weight_decay=0.1, grad_clip=nn.ClipGradByGlobalNorm(0.4))",
                   attributes)
    optimizer_case("optimizer.Adam(0.05, parameters=p, weight_decay=0.1)", attributes)


def program_case(function, **more):
    rtol, atol = more.get("rtol", 1e-5), more.get("atol", 1e-6)
    add(Case(f"optimizers.{function.__name__}", function, {}, rtol, atol, grad=False))


@program_case
def lbfgs(ns):
    paddle, layer = ns["paddle"], model(ns)
    optimizer = paddle.optimizer.LBFGS(0.5, max_iter=3, parameters=layer.parameters())

    def closure():
        optimizer.clear_grad()
        loss = ((layer(paddle.to_tensor(X)) - paddle.to_tensor(TARGET)) ** 2).mean()
        loss.backward()
        return loss
    losses = [float(optimizer.step(closure)) for _ in range(4)]
    return losses, layer.weight, layer.bias


@program_case
def lbfgs_limits(ns):
    paddle, traces = ns["paddle"], []
    for settings in ({"history_size": 1, "max_iter": 4}, {"max_iter": 10, "max_eval": 3}, {"tolerance_grad": 0.5, "max_iter": 10},
                     {"tolerance_change": 0.05, "max_iter": 10}):
        layer = model(ns)
        optimizer = paddle.optimizer.LBFGS(0.5, parameters=layer.parameters(), **settings)

        def closure(layer=layer, optimizer=optimizer):
            optimizer.clear_grad()
            loss = ((layer(paddle.to_tensor(X)) - paddle.to_tensor(TARGET)) ** 2).mean()
            loss.backward()
            return loss
        traces.append([float(optimizer.step(closure)) for _ in range(4)] + [layer.weight, layer.bias])
    return traces


def lbfgs_strong_wolfe(ns):
    paddle, layer = ns["paddle"], model(ns)
    optimizer = paddle.optimizer.LBFGS(1.0, max_iter=4, line_search_fn="strong_wolfe", parameters=layer.parameters())

    def closure():
        optimizer.clear_grad()
        loss = ((layer(paddle.to_tensor(X)) - paddle.to_tensor(TARGET)) ** 2).mean()
        loss.backward()
        return loss
    losses = [float(optimizer.step(closure)) for _ in range(3)]
    return losses, layer.weight, layer.bias


program_case(lbfgs_strong_wolfe, rtol=1e-4, atol=1e-5)


def state_dict_resumes(ns):
    paddle = ns["paddle"]
    first = model(ns)
    optimizer = paddle.optimizer.Adam(paddle.optimizer.lr.StepDecay(0.1, 2), parameters=first.parameters())
    steps(ns, first, optimizer, 3)
    state, weights = optimizer.state_dict(), {k: v.numpy().copy() for k, v in first.state_dict().items()}
    kinds = sorted({key.rpartition(".")[2].split("_", 2)[-1] if "." in key else key for key in state})
    shapes = sorted(str(list(value.shape)) for key, value in state.items() if key != "LR_Scheduler")
    return kinds, shapes, state["LR_Scheduler"], weights, steps(ns, first, optimizer, 2)


program_case(state_dict_resumes, rtol=1e-4)


@program_case
def minimize_and_learning_rate(ns):
    paddle, layer = ns["paddle"], model(ns)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    loss = ((layer(paddle.to_tensor(X)) - paddle.to_tensor(TARGET)) ** 2).mean()
    loss.backward()
    optimizer.minimize(loss)
    before = optimizer.get_lr()
    optimizer.set_lr(0.5)
    return layer.weight, layer.bias, before, optimizer.get_lr()


@program_case
def gradient_accumulation(ns):
    paddle, layer = ns["paddle"], model(ns)
    optimizer = paddle.optimizer.Momentum(0.1, parameters=layer.parameters())
    for _ in range(2):
        for row in range(4):
            ((layer(paddle.to_tensor(X[row:row + 1])) - paddle.to_tensor(TARGET[row:row + 1])) ** 2).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    return layer.weight, layer.bias


@program_case
def grad_scaler(ns):
    paddle, layer = ns["paddle"], model(ns)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    scaler = paddle.amp.GradScaler(init_loss_scaling=128.0)
    loss = ((layer(paddle.to_tensor(X)) - paddle.to_tensor(TARGET)) ** 2).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return layer.weight, layer.bias


def state_of(name, dtype):
    """Names, types and shapes of an optimizer's states, as files hold them."""
    def run(ns):
        paddle = ns["paddle"]
        paddle.set_default_dtype(dtype)
        try:
            with paddle.utils.unique_name.guard():
                layer = paddle.nn.Linear(2, 3)
                optimizer = getattr(paddle.optimizer, name)(learning_rate=0.1, parameters=layer.parameters())
                layer(paddle.ones([1, 2])).sum().backward()
                optimizer.step()
                return [[key, value.name, str(value.dtype), list(value.shape)] for key, value in optimizer.state_dict().items()]
        finally:
            paddle.set_default_dtype("float32")
    add(Case(f"state of {name}, {dtype}", run, {}, grad=False))


for text in "SGD Momentum Adam AdamW Adamax Adagrad Adadelta RMSProp Lamb".split():
    for dtype in ("float32", "float64"):
        state_of(text, dtype)


# schedulers
def numbers(state):
    return {key: value for key, value in state.items() if isinstance(value, (int, float))}


def scheduler_case(text, epochs=12):
    def run(ns):
        scheduler = evaluate(text, ns)
        values = [scheduler()]
        for _ in range(epochs):
            scheduler.step()
            values.append(scheduler())
        return np.array(values, "float64"), numbers(scheduler.state_dict())
    add(Case(f"schedule: {text}", run, {}, 1e-9, 1e-12, grad=False))


for text in """
lr.StepDecay(0.5, 3)
lr.StepDecay(0.5, step_size=2, gamma=0.7)
lr.MultiStepDecay(0.5, [2, 5, 9], 0.4)
lr.PiecewiseDecay([3, 6, 8], [0.1, 0.2, 0.05, 0.01])
lr.ExponentialDecay(0.5, 0.9)
lr.NaturalExpDecay(0.5, 0.1)
lr.InverseTimeDecay(0.5, 0.2)
lr.PolynomialDecay(0.5, 6)
lr.PolynomialDecay(0.5, 5, end_lr=0.01, power=2.0)
lr.PolynomialDecay(0.5, 5, end_lr=0.01, power=0.5, cycle=True)
lr.CosineAnnealingDecay(0.5, 8)
lr.CosineAnnealingDecay(0.5, 4, eta_min=0.1)
lr.CosineAnnealingWarmRestarts(0.5, 3)
lr.CosineAnnealingWarmRestarts(0.5, T_0=2, T_mult=2, eta_min=0.05)
lr.NoamDecay(16, 4)
lr.NoamDecay(64, warmup_steps=5, learning_rate=2.0)
lr.LinearWarmup(0.5, 4, 0.0, 0.5)
lr.LinearWarmup(lr.ExponentialDecay(0.5, 0.8), 3, 0.1, 0.5)
lr.LinearWarmup(learning_rate=lr.StepDecay(0.2, 2), warmup_steps=5, start_lr=0.05, end_lr=0.2)
lr.LambdaDecay(0.5, lambda e: 0.95 ** e)
lr.MultiplicativeDecay(0.5, lambda e: 0.9)
lr.OneCycleLR(0.5, 12)
lr.OneCycleLR(0.5, 14, divide_factor=10.0, end_learning_rate=0.01, phase_pct=0.4, anneal_strategy='linear')
lr.OneCycleLR(0.5, 12, three_phase=True)
lr.CyclicLR(0.1, 0.5, 3)
lr.CyclicLR(0.1, 0.5, 2, 4, mode='triangular2')
lr.CyclicLR(0.1, 0.5, 3, mode='exp_range', exp_gamma=0.9)
lr.CyclicLR(0.1, 0.5, 3, scale_fn=lambda x: 0.5 ** x, scale_mode='iterations')
lr.LinearLR(0.5, 5)
lr.LinearLR(0.5, 6, start_factor=0.1, end_factor=0.8)
lr.StepDecay(0.5, 3, last_epoch=4)
""".strip().splitlines():
    scheduler_case(text)


def plateau_case(text):
    def run(ns):
        scheduler = evaluate(text, ns)
        values = []
        for metric in [1.0, 0.9, 0.95, 0.96, 0.9, 0.89999, 0.92, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7]:
            scheduler.step(metric)
            values.append(scheduler())
        return np.array(values, "float64"), numbers(scheduler.state_dict())
    add(Case(f"schedule: {text}", run, {}, 1e-9, 1e-12, grad=False))


for text in """
lr.ReduceOnPlateau(0.5, patience=1)
lr.ReduceOnPlateau(0.5, factor=0.5, patience=0, cooldown=1)
lr.ReduceOnPlateau(0.5, mode='max', factor=0.3, patience=2, min_lr=0.1)
lr.ReduceOnPlateau(0.5, factor=0.5, patience=1, threshold=0.01, threshold_mode='abs')
""".strip().splitlines():
    plateau_case(text)


@program_case
def scheduler_given_epochs(ns):
    scheduler = ns["lr"].ExponentialDecay(0.5, 0.9)
    values = []
    for epoch in [3, 7, 1]:
        scheduler.step(epoch)
        values.append(scheduler())
    other = ns["lr"].ExponentialDecay(0.5, 0.9)
    other.set_state_dict(scheduler.state_dict())
    other.step()
    return values, other(), other.last_epoch, other.last_lr


def spoken(text, epochs=4):
    """What a verbose scheduler prints."""
    def run(ns):
        import contextlib
        import io
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            scheduler = evaluate(text, ns)
            for _ in range(epochs):
                scheduler.step(*([1.0] if "Plateau" in text else []))
        return out.getvalue()
    add(Case(f"spoken: {text}", run, {}, grad=False))


for text in """
lr.StepDecay(0.5, 2, verbose=True)
lr.LinearWarmup(lr.ExponentialDecay(0.5, 0.8), 3, 0.1, 0.5, verbose=True)
lr.ReduceOnPlateau(0.5, patience=1, verbose=True)
lr.ReduceOnPlateau(0.5, patience=0, epsilon=0.6)
""".strip().splitlines():
    spoken(text)
