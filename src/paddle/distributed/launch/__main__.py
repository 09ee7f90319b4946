from paddle.distributed.launch import launch

launch()
