"""PipelineParallel: the stages of a PipelineLayer, trained with micro batches."""

import numpy as np

from ....autograd import backward
from ....core.addresses import lookup as _lookup
from ....core.autograd import no_grad
from ....core.tensor import Tensor, wrap
from . import schedule
from .messages import Messages, trained
from .pp_layers import PipelineLayer
from .wrappers import MetaParallelBase


class PipelineParallel(MetaParallelBase):
    """A PipelineLayer whose stages work at the same time on different micro batches (1F1B, or F-then-B by the strategy).

    The strategy's ``pipeline_configs`` give the number of micro batches of a batch (``accumulate_steps``) and their size
    (``micro_batch_size``).
    """

    def __init__(self, layers, hcg, strategy):
        if not isinstance(layers, PipelineLayer):
            raise TypeError(f"{type(self).__name__}(): the model must be a PipelineLayer, got {type(layers).__name__}")
        super().__init__(layers, hcg, strategy)
        settings = strategy.pipeline_configs
        self.micro_batch_size, self.accumulate_steps = settings["micro_batch_size"], settings["accumulate_steps"]
        self.num_stages, self.stage_id = hcg.get_pipe_parallel_world_size(), hcg.get_stage_id()
        self.pp_group, self._chunks = hcg.get_pipe_parallel_group(), layers.get_num_virtual_stages()
        self._messages, self.total_loss = Messages(self.pp_group), None

    def _schedule(self):
        if self._strategy.pipeline_configs["schedule_mode"] == "F-then-B":
            return schedule.forward_then_backward(self.stage_id, self.num_stages, self.accumulate_steps)
        return schedule.one_forward_one_backward(self.stage_id, self.num_stages, self.accumulate_steps)

    # ---- which part of the model ----
    def _part(self, chunk):
        return chunk * self.num_stages + self.stage_id

    def is_pipeline_first_stage(self, ignore_virtual=False):
        """Does this stage have the beginning of the model?"""
        return self.stage_id == 0

    def is_pipeline_last_stage(self, ignore_virtual=False):
        """Does this stage have the end of the model?"""
        return self.stage_id == self.num_stages - 1

    # ---- training ----
    def train_batch(self, data, optimizer, lr_scheduler=None, scaler=None):
        """Train with one batch; returns the mean loss of its micro batches, on all stages.

        Args:
            data: (inputs, labels), each a Tensor or a tuple of them; only the first stage reads inputs, only the last labels.
            optimizer: what ``fleet.distributed_optimizer`` gave.
            lr_scheduler: stepped after the optimizer.
            scaler: what ``fleet.distributed_scaler`` gave.
        """
        self._layers.train()
        loss = self.forward_backward_pipeline(data, scaler)
        if scaler is None:
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()
        optimizer.clear_grad()
        if lr_scheduler is not None:
            lr_scheduler.step()
        return loss

    def forward_backward_pipeline(self, data, scaler=None):
        """Forward and backward passes of a batch; gradients are left in the parameters, the mean loss is returned."""
        run = _Batch(self, data, scaler)
        for forward, chunk, micro in self._schedule():
            (run.forward if forward else run.backward)(chunk, micro)
        self._messages.finish()
        self._layers.allreduce_shared_weight_gradients()
        return self._share_loss(run.losses)

    @no_grad()
    def eval_batch(self, data, compute_loss=False):
        """Forward passes only: the mean loss on all stages, or the list of micro batches' outputs (on the last stage)."""
        self._layers.eval()
        run = _Batch(self, data, None, compute_loss, keep=False)
        for chunk in range(self._chunks):
            for micro in range(self.accumulate_steps):
                run.forward(chunk, micro)
        self._messages.finish()
        return self._share_loss(run.losses) if compute_loss else run.outputs

    def _share_loss(self, losses):
        """The mean of the last stage's losses, on every stage."""
        last = self.num_stages - 1
        about = np.zeros(2, np.int64)
        value = None
        if self.stage_id == last:
            value = np.ascontiguousarray(sum(loss._data for loss in losses))
            about[:] = value.dtype.itemsize, value.ndim and value.size
        if self.num_stages > 1:
            self.pp_group.comm.broadcast(about, last).wait()
            if value is None:
                value = np.empty([about[1]] if about[1] else [], f"f{about[0]}")
            self.pp_group.comm.broadcast(value, last).wait()
        self.total_loss = wrap(value)
        return self.total_loss


class PipelineParallelWithInterleave(PipelineParallel):
    """A pipeline whose stages run several chunks of the model each, which shortens the idle time at both ends."""

    def __init__(self, layers, hcg, strategy):
        super().__init__(layers, hcg, strategy)
        if self._chunks < 2:
            raise ValueError(f"{type(self).__name__}(): the PipelineLayer needs num_virtual_pipeline_stages above 1")

    def _schedule(self):
        return schedule.interleaved(self.stage_id, self.num_stages, self.accumulate_steps, self._chunks)


class PipelineParallelWithInterleaveFthenB(PipelineParallelWithInterleave):
    """The chunks of an interleaved pipeline, all forward passes before all backward passes."""

    def _schedule(self):
        return schedule.forward_then_backward(self.stage_id, self.num_stages, self.accumulate_steps, self._chunks)


class _Batch:
    """One batch on its way through a stage."""

    def __init__(self, pipeline, data, scaler, compute_loss=True, keep=True):
        self.pipeline, self.scaler, self.compute_loss, self.keep = pipeline, scaler, compute_loss, keep
        self.inputs, self.labels = _pair(data, pipeline)
        self.under_way, self.losses, self.outputs = {}, [], []
        self.last_part = pipeline.num_stages * pipeline._chunks - 1

    def forward(self, chunk, micro):
        """One micro batch through one chunk, and on to the next part of the model."""
        pipeline, part = self.pipeline, self.pipeline._part(chunk)
        if part == 0:
            entry = self._slice(self.inputs, micro, "inputs")
        else:
            entry = pipeline._messages.receive_forward((pipeline.stage_id - 1) % pipeline.num_stages, part)
        result = pipeline._layers(entry, chunk if pipeline._chunks > 1 else None)
        if part < self.last_part:
            pipeline._messages.send_forward(result, (pipeline.stage_id + 1) % pipeline.num_stages, part + 1)
        else:
            result = self._finish(result, micro)
        if self.keep:
            self.under_way[chunk, micro] = (entry, result)

    def _finish(self, output, micro):
        """The loss of a micro batch, its share in the batch's mean; or the output kept, where no loss is asked for."""
        if not self.compute_loss:
            self.outputs.append(output)
            return output
        loss_fn = self.pipeline._layers.get_loss_fn()
        if loss_fn is None:
            raise ValueError("PipelineLayer: training needs loss_fn")
        loss = loss_fn(output, self._slice(self.labels, micro, "labels"))
        if not isinstance(loss, Tensor) or loss.size != 1:
            raise ValueError(f"PipelineLayer: loss_fn must give one number, got {getattr(loss, 'shape', type(loss).__name__)}")
        share = loss / self.pipeline.accumulate_steps
        self.losses.append(share.detach())
        return share if self.scaler is None else self.scaler.scale(share)

    def backward(self, chunk, micro):
        """Gradients of one micro batch through one chunk, and on to the part of the model before it."""
        pipeline, part = self.pipeline, self.pipeline._part(chunk)
        entry, result = self.under_way.pop((chunk, micro))
        if part == self.last_part:
            result.backward()
        else:
            source = (pipeline.stage_id + 1) % pipeline.num_stages
            grads = pipeline._messages.receive_backward(result, source, part + 1)
            if grads:
                backward(trained(result), grads)
        if part > 0:
            pipeline._messages.send_backward(entry, (pipeline.stage_id - 1) % pipeline.num_stages, part)

    def _slice(self, data, micro, what):
        """The rows of one micro batch."""
        if data is None:
            raise ValueError(f"train_batch(): stage {self.pipeline.stage_id} needs the {what} of the batch, got None")
        if isinstance(data, (tuple, list)):
            return tuple(self._slice(d, micro, what) for d in data)
        size = self.pipeline.micro_batch_size
        if not isinstance(data, Tensor):
            raise TypeError(f"train_batch(): {what} must be a Tensor or a tuple of them, got {type(data).__name__}")
        if data.shape[0] != size * self.pipeline.accumulate_steps:
            raise ValueError(f"train_batch(): {what} have {data.shape[0]} rows, but {self.pipeline.accumulate_steps} micro batches "
                             f"of {size} were configured")
        return data[micro * size:(micro + 1) * size]


def _pair(data, pipeline):
    """(inputs, labels) of a batch; what this stage does not read may be None."""
    if data is None:
        if pipeline.is_pipeline_first_stage() or pipeline.is_pipeline_last_stage():
            raise ValueError("train_batch(): the first and the last stage need data")
        return None, None
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ValueError(f"train_batch(): data must be (inputs, labels), got {type(data).__name__}")
    return data


__getattr__ = _lookup(__name__)
