"""GPT and Llama of PaddleNLP with tensor_parallel_degree=2 on two ranks: losses and gradients of degree 1."""

import os
import subprocess
import sys
import tempfile

import numpy as np

SIZES = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
         "max_position_embeddings": 32, "use_flash_attention": False, "tensor_parallel_output": False}


DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob")


def cut(whole, part, ranks, rank):
    """A rank's part of an array, by the axis in which the shapes differ."""
    axis = next((k for k, (a, b) in enumerate(zip(whole.shape, part)) if a != b), None)
    return whole if axis is None else np.split(whole, ranks, axis)[rank]


def run():
    """One rank: loss and gradients of both models, with weights that depend on their names alone."""
    from paddlenlp.transformers import GPTConfig, GPTForCausalLM, LlamaConfig, LlamaForCausalLM

    import paddle
    from paddle.distributed import fleet
    ranks, rank = paddle.distributed.get_world_size(), paddle.distributed.get_rank()
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": ranks, "pp_degree": 1, "sharding_degree": 1}
    fleet.init(is_collective=True, strategy=strategy)
    found = {}
    for name, config, kind, more in (("llama", LlamaConfig, LlamaForCausalLM, {"seq_length": 16}),
                                     ("gpt", GPTConfig, GPTForCausalLM, dict.fromkeys(DROPOUTS, 0.0))):
        model = kind(config(**SIZES, **more, tensor_parallel_degree=ranks, tensor_parallel_rank=rank))
        shapes = np.load(f"{name}.npz") if ranks > 1 else {key: p.numpy() for key, p in model.state_dict().items()}
        if ranks == 1:
            np.savez(f"{name}.npz", **shapes)
        state = {}
        for key, p in model.state_dict().items():
            values = np.random.RandomState(sum(map(ord, key))).standard_normal(shapes[key].shape).astype("float32") * 0.1
            values += "norm" in key and key.endswith("weight")
            state[key] = paddle.to_tensor(cut(values, p.shape, ranks, rank))
        model.set_state_dict(state)
        ids, labels = (paddle.to_tensor(np.random.RandomState(seed).randint(0, 64, [2, 16])) for seed in (1, 2))
        out = model(ids, labels=labels)
        loss = (out[0] if isinstance(out, (tuple, list)) else out).mean()
        loss.backward()
        found[f"{name} loss"] = np.asarray(float(loss))
        found.update({f"{name} {key}": p.grad.numpy() for key, p in model.named_parameters() if p.grad is not None})
    np.savez(f"found{ranks}-{rank}.npz", **found)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for command in ([os.path.abspath(__file__), "run"],
                        ["-m", "paddle.distributed.launch", "--nproc_per_node", "2", os.path.abspath(__file__), "run"]):
            done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        one, largest = np.load(os.path.join(folder, "found1-0.npz")), 0.0
        for rank in range(2):
            two = np.load(os.path.join(folder, f"found2-{rank}.npz"))
            assert set(one.files) == set(two.files)
            for key in one.files:
                largest = max(largest, float(np.abs(cut(one[key], two[key].shape, 2, rank) - two[key]).max()))
        assert largest < 1e-5, largest
        print(f"{len(one.files)} losses and gradients of degree 2 within {largest:.0e} of degree 1")


run() if sys.argv[1:] == ["run"] else main()
