"""Flags of Paddle that change no result: how much memory allocators take, which library or thread computes.

Programs set them for GPUs or for speed. They are known here by their names and types, keep what they are set to, and have
nothing to tune; ``flags.py`` declares them.
"""

HELP = "tunes Paddle's memory, devices or threads; changes nothing here"

DEFAULTS = {
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
    "host_trace_level": 1, "enable_unused_var_check": False, "fuse_parameter_memory_size": -1.0,
    "fuse_parameter_groups_size": 1, "new_executor_serial_run": False, "new_executor_use_inplace": False,
    "new_executor_use_local_scope": True, "allreduce_record_one_event": False, "sync_nccl_allreduce": True,
    "reader_queue_speed_test_mode": False, "jit_engine_type": "Predictor",
    # 1.x: places of one process, remote calls
    "enable_parallel_graph": False, "fast_check_nan_inf": False, "skip_fused_all_reduce_check": False, "enable_rpc_profiler": False,
    "rpc_deadline": 180000, "rpc_retry_times": 3, "rpc_retry_bind_port": 3, "rpc_disable_reuse_port": False,
    "rpc_get_thread_num": 12, "rpc_prefetch_thread_num": 12, "worker_update_interval_secs": 900, "io_threadpool_size": 100,
    "print_sub_graph_dir": "", "pe_profile_fname": "", "init_p2p": False, "dygraph_debug": 0,
    # graph engines, parameter servers and the compilers of later releases
    "add_dependency_for_communication_op": True, "apply_pass_to_program": False, "async_trace_count": 5,
    "cache_inference_while_scope": False, "communicator_is_sgd_optimizer": True, "communicator_max_merge_var_num": 20,
    "communicator_send_queue_size": 20, "convert_all_blocks": True, "enable_adjust_op_order": 0, "enable_all2all_use_fp16": False,
    "enable_async_trace": False, "enable_auto_detect_gpu_topo": True, "enable_auto_rdma_trans": True,
    "enable_dependency_builder_debug_info": False, "enable_exit_when_partial_worker": False,
    "enable_graph_multi_node_sampling": False, "enable_neighbor_list_use_uva": False, "enable_opt_get_features": False,
    "enable_pir_in_executor": False, "enable_pir_in_executor_trace_run": False, "enable_pir_with_pt_in_dy2st": True,
    "enable_record_memory": False, "enable_sparse_inner_gather": False, "enable_tracker_all2all": False,
    "executor_log_deps_every_microseconds": 0, "fleet_executor_with_standalone": False,
    "get_host_by_name_time": 120, "gpugraph_debug_gpu_memory": False,
    "gpugraph_dedup_pull_push_mode": 0, "gpugraph_enable_gpu_direct_access": False,
    "gpugraph_enable_hbm_table_collision_stat": False, "gpugraph_enable_print_op_debug": False,
    "gpugraph_enable_segment_merge_grads": False, "gpugraph_force_device_batch_num_equal": False,
    "gpugraph_hbm_table_load_factor": 0.75, "gpugraph_load_node_list_into_hbm": True, "gpugraph_merge_grads_segment_size": 128,
    "gpugraph_offload_gather_copy_maxsize": 16, "gpugraph_offload_param_extends": ".w_0_moment,.b_0_moment",
    "gpugraph_offload_param_stat": 0, "gpugraph_parallel_copyer_split_maxsize": 64, "gpugraph_parallel_stream_num": 8,
    "gpugraph_slot_feasign_max_num": 5, "gpugraph_sparse_table_storage_mode": 0, "gpugraph_storage_mode": 1,
    "graph_edges_debug_node_id": 0, "graph_edges_debug_node_num": 2, "graph_edges_split_debug": False,
    "graph_edges_split_mode": "hard", "graph_edges_split_only_by_src_id": False, "graph_embedding_split_infer_mode": True,
    "graph_get_neighbor_id": False, "graph_load_in_parallel": False, "graph_metapath_split_opt": False,
    "graph_neighbor_size_percent": 1.0, "ir_inplace_kernel_blacklist": "", "multi_node_sample_use_gpu_table": True,
    "multiple_of_cupti_buffer_size": 1, "new_executor_sequential_run": False, "new_executor_static_build": False,
    "new_executor_use_cuda_graph": False, "npu_storage_format": False, "pir_apply_inplace_pass": True,
    "query_dest_rank_by_multi_node": False, "rocksdb_path": "database", "rpc_send_thread_num": 12, "run_kp_kernel": False,
    "sync_after_alloc": False, "tensor_operants_mode": "eager", "trt_ibuilder_cache": False,
    "use_auto_growth_pinned_allocator": False, "use_stream_safe_cuda_allocator": True,
}
