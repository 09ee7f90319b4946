"""Written by scripts/stubs.py; change the functions, not this file."""

from paddle.io.dataloader.batch_sampler import BatchSampler as BatchSampler
from paddle.io.dataloader.dataset import ChainDataset as ChainDataset
from paddle.io.dataloader.dataset import ComposeDataset as ComposeDataset
from paddle.io.dataloader.dataset import ConcatDataset as ConcatDataset
from paddle.io.reader import DataLoader as DataLoader
from paddle.io.dataloader.dataset import Dataset as Dataset
from paddle.io.dataloader.batch_sampler import DistributedBatchSampler as DistributedBatchSampler
from paddle.io.dataloader.dataset import IterableDataset as IterableDataset
from paddle.io.dataloader.sampler import RandomSampler as RandomSampler
from paddle.io.dataloader.sampler import Sampler as Sampler
from paddle.io.dataloader.sampler import SequenceSampler as SequenceSampler
from paddle.io.dataloader.dataset import Subset as Subset
from paddle.io.dataloader.sampler import SubsetRandomSampler as SubsetRandomSampler
from paddle.io.dataloader.dataset import TensorDataset as TensorDataset
from paddle.io.dataloader.sampler import WeightedRandomSampler as WeightedRandomSampler
from paddle.io.dataloader.worker import get_worker_info as get_worker_info
from paddle.io.dataloader.dataset import random_split as random_split
