"""PaddleNLP's transformers."""

import numpy as np
import paddlenlp.transformers as models
from networks import compare

SMALL = {"vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
         "max_position_embeddings": 64}
ids = np.random.RandomState(0).randint(1, 99, [2, 12]).astype("int64")
NETWORKS = {"Bert": "Model", "Ernie": "Model", "GPT": "Model", "Llama": "ForCausalLM", "Roberta": "Model"}
found = []
for name, kind in NETWORKS.items():
    settings = getattr(models, name + "Config")(**SMALL)
    found.append(compare(name, lambda name=name, kind=kind, settings=settings: getattr(models, name + kind)(settings), ids))
print(f"{len(found)} networks: values to {max(f[0] for f in found):.0e}, gradients to {max(f[1] for f in found):.0e} of float64")
