"""Makes the folder runnable: python -m paddle.distributed.launch."""

from paddle.distributed.launch import launch

launch()
