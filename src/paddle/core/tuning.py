"""Flags of Paddle that change no result: how much memory allocators take, which library or thread computes.

Programs set them for GPUs or for speed. They are known here by their names and types, keep what they are set to, and have
nothing to tune. Loaded when a program first names one.
"""

from .flags import define

_HELP = "tunes Paddle's memory, devices or threads; changes nothing here"

_DEFAULTS = {
    # memory
    "eager_delete_tensor_gb": 0.0, "memory_fraction_of_eager_deletion": 1.0, "fast_eager_deletion_mode": True,
    "eager_delete_scope": True, "allocator_strategy": "auto_growth", "fraction_of_gpu_memory_to_use": 0.92,
    "fraction_of_cpu_memory_to_use": 1.0, "fraction_of_cuda_pinned_memory_to_use": 0.5, "initial_cpu_memory_in_mb": 500,
    "initial_gpu_memory_in_mb": 0, "reallocate_gpu_memory_in_mb": 0, "gpu_memory_limit_mb": 0, "gpu_allocator_retry_time": 10000,
    "use_pinned_memory": True, "use_cuda_managed_memory": False, "max_inplace_grad_add": 0, "use_system_allocator": False,
    "auto_growth_chunk_size_in_mb": 0, "use_virtual_memory_auto_growth": False, "log_memory_stats": False,
    "init_allocated_mem": False, "local_exe_sub_scope_limit": 256.0, "use_shm_cache": False, "use_stride_kernel": True,
    # libraries of GPUs and CPUs; results are the same in every run here, so that asking for it is asking for nothing
    "cudnn_exhaustive_search": False, "cudnn_exhaustive_search_times": -1, "cudnn_deterministic": False,
    "cudnn_batchnorm_spatial_persistent": False, "conv_workspace_size_limit": 512, "embedding_deterministic": 0,
    "enable_cublas_tensor_op_math": False, "gemm_use_half_precision_compute_type": True, "cpu_deterministic": False,
    "use_mkldnn": False, "tracer_mkldnn_ops_on": "", "tracer_mkldnn_ops_off": "", "use_autotune": False,
    "search_cache_max_number": 1000000, "enable_api_kernel_fallback": True, "einsum_opt": False, "selected_gpus": "",
    # threads, executors, communication, reports
    "inner_op_parallelism": 0, "paddle_num_threads": 1, "dist_threadpool_size": 0, "benchmark": False, "sort_sum_gradient": False,
    "call_stack_level": 1, "host_trace_level": 1, "enable_unused_var_check": False, "fuse_parameter_memory_size": -1.0,
    "fuse_parameter_groups_size": 1, "new_executor_serial_run": False, "new_executor_use_inplace": False,
    "new_executor_use_local_scope": True, "allreduce_record_one_event": False, "sync_nccl_allreduce": True,
    "reader_queue_speed_test_mode": False, "jit_engine_type": "Predictor",
}

for _name, _default in _DEFAULTS.items():
    define("FLAGS_" + _name, _default, _HELP)
