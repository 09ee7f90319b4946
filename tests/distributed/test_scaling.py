"""The calculation of what parallel training costs keeps to what is known of it."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "benchmarks"))
import hybrid_model  # noqa: E402
from hybrid_model import CLUSTERS, NETWORKS, Network, Split, best, memory, step, traffic  # noqa: E402

NET = Network(layers=12, hidden=768, heads=12, vocabulary=50304, length=1024, batch=512)
CLUSTER = next(iter(CLUSTERS.values()))


def test_one_rank_only_computes():
    parts = step(NET, Split(), CLUSTER)
    assert parts["compute"] == pytest.approx(NET.operations / CLUSTER.speed)
    assert sum(parts.values()) == parts["compute"] and traffic(NET, Split()) == 0


@pytest.mark.parametrize("split", [Split(dp=4), Split(mp=4), Split(pp=4, micros=16), Split(sharding=4), Split(sharding=4, stage=2)])
def test_work_is_shared_out(split):
    assert step(NET, split, CLUSTER)["compute"] == pytest.approx(NET.operations / 4 / CLUSTER.speed)
    assert traffic(NET, split) > 0


def test_bubbles_shrink_with_micro_batches_and_chunks():
    def bubbles(micros, chunks=1):
        return step(NET, Split(pp=4, micros=micros, chunks=chunks), CLUSTER)["bubbles"]
    assert bubbles(4) == pytest.approx(0.75 * NET.operations / 4 / CLUSTER.speed)
    assert bubbles(8) == pytest.approx(bubbles(4) / 2) and bubbles(4, 2) == pytest.approx(bubbles(4) / 2)


def test_stage_3_holds_a_quarter_on_four_ranks():
    small = Network(layers=2, hidden=1024, heads=8, vocabulary=32, length=1, batch=4)  # next to no activations
    assert memory(small, Split(sharding=4, stage=3)) == pytest.approx(4 * small.parameters * 4 / 4, rel=0.01)


def test_the_best_split_fits_and_is_at_most_as_slow_as_data_parallelism():
    for net in NETWORKS.values():
        for cluster in CLUSTERS.values():
            for ranks in (8, 128, 1024):
                found = best(net, ranks, cluster)
                assert found is not None and found[1].ranks == ranks and memory(net, found[1]) <= cluster.memory
                plain = Split(dp=ranks)
                if net.batch % ranks == 0 and memory(net, plain) <= cluster.memory:
                    assert found[0] <= sum(step(net, plain, cluster).values())
    assert best(NET, 2, hybrid_model.Cluster(1e12, 1e6, CLUSTER.inside, CLUSTER.between, 4)) is None
