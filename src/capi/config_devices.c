/* Processors and engines that this library doesn't have: a wish is noted, said once when the predictor is made, and changes
 * nothing; questions about them are answered with no. */
#include "small.h"

#include "config.h"
#include "tensor.h"

#define CHECK(...)                                       \
    if (!c) {                                            \
        fail("%s: the configuration is NULL", __func__); \
        return __VA_ARGS__;                              \
    }

#define NO(type, function, value)  \
    type function(PD_Config *c) {  \
        CHECK(value)               \
        return value;              \
    }
#define NOTHING(function)          \
    void function(PD_Config *c) {  \
        CHECK()                    \
    }

NOTHING(PD_ConfigDisableGpu)
NOTHING(PD_ConfigDisableONNXRuntime)
NO(PD_Bool, PD_ConfigUseGpu, FALSE)
NO(PD_Bool, PD_ConfigONNXRuntimeEnabled, FALSE)
NO(PD_Bool, PD_ConfigUseXpu, FALSE)
NO(int32_t, PD_ConfigGpuDeviceId, 0)
NO(int32_t, PD_ConfigXpuDeviceId, 0)
NO(PD_Bool, PD_ConfigUseCustomDevice, FALSE)
NO(int32_t, PD_ConfigCustomDeviceId, 0)
NO(char *, PD_ConfigCustomDeviceType, (char *)"")
NO(int32_t, PD_ConfigMemoryPoolInitSizeMb, 100)
NO(float, PD_ConfigFractionOfGpuMemoryForPool, 0)
NO(PD_Bool, PD_ConfigCudnnEnabled, FALSE)
NO(PD_Bool, PD_ConfigTensorRtEngineEnabled, FALSE)
NO(PD_Bool, PD_ConfigTensorRtDynamicShapeEnabled, FALSE)
NO(PD_Bool, PD_ConfigTunedTensorRtDynamicShape, FALSE)
NO(PD_Bool, PD_ConfigTrtAllowBuildAtRuntime, FALSE)
NO(PD_Bool, PD_ConfigShapeRangeInfoCollected, FALSE)
NO(PD_Bool, PD_ConfigTensorRtOssEnabled, FALSE)
NO(PD_Bool, PD_ConfigTensorRtDlaEnabled, FALSE)
NO(PD_Bool, PD_ConfigThreadLocalStreamEnabled, FALSE)

void PD_ConfigEnableUseGpu(PD_Config *c, uint64_t memory_pool_init_size_mb, int32_t device_id, PD_PrecisionType precision_mode) {
    CHECK()
    (void)memory_pool_init_size_mb, (void)device_id, (void)precision_mode;
    config_wish(c, "a GPU");
}
void PD_ConfigEnableONNXRuntime(PD_Config *c) {
    CHECK()
    config_wish(c, "ONNX Runtime");
}
void PD_ConfigEnableORTOptimization(PD_Config *c) {
    CHECK()
    config_wish(c, "ONNX Runtime");
}
void PD_ConfigEnableXpu(PD_Config *c, int32_t l3_workspace_size, PD_Bool locked, PD_Bool autotune, const char *autotune_file,
                        const char *precision, PD_Bool adaptive_seqlen, PD_Bool enable_multi_stream) {
    CHECK()
    (void)l3_workspace_size, (void)locked, (void)autotune, (void)autotune_file, (void)precision, (void)adaptive_seqlen,
        (void)enable_multi_stream;
    config_wish(c, "an XPU");
}
void PD_ConfigEnableCustomDevice(PD_Config *c, char *device_type, int32_t device_id) {
    CHECK()
    (void)device_type, (void)device_id;
    config_wish(c, "a custom device");
}
void PD_ConfigEnableCudnn(PD_Config *c) {
    CHECK()
    config_wish(c, "cuDNN");
}
void PD_ConfigEnableTensorRtEngine(PD_Config *c, int64_t workspace_size, int32_t max_batch_size, int32_t min_subgraph_size,
                                   PD_PrecisionType precision, PD_Bool use_static, PD_Bool use_calib_mode) {
    CHECK()
    (void)workspace_size, (void)max_batch_size, (void)min_subgraph_size, (void)precision, (void)use_static, (void)use_calib_mode;
    config_wish(c, "TensorRT");
}
void PD_ConfigSetTrtDynamicShapeInfo(PD_Config *c, size_t tensor_num, const char **tensor_name, size_t *shapes_num, int32_t **min_shape,
                                     int32_t **max_shape, int32_t **optim_shape, PD_Bool disable_trt_plugin_fp16) {
    CHECK()
    (void)tensor_num, (void)tensor_name, (void)shapes_num, (void)min_shape, (void)max_shape, (void)optim_shape,
        (void)disable_trt_plugin_fp16;
    config_wish(c, "TensorRT");
}
void PD_ConfigEnableTunedTensorRtDynamicShape(PD_Config *c, const char *shape_range_info_path, PD_Bool allow_build_at_runtime) {
    CHECK()
    (void)shape_range_info_path, (void)allow_build_at_runtime;
    config_wish(c, "TensorRT");
}
void PD_ConfigCollectShapeRangeInfo(PD_Config *c, const char *shape_range_info_path) {
    CHECK()
    (void)shape_range_info_path;
    config_wish(c, "a record of shapes");
}
void PD_ConfigDisableTensorRtOPs(PD_Config *c, size_t ops_num, const char **ops_name) {
    CHECK()
    (void)ops_num, (void)ops_name;
}
void PD_ConfigEnableVarseqlen(PD_Config *c) {
    CHECK()
    config_wish(c, "TensorRT");
}
void PD_ConfigEnableTensorRtDla(PD_Config *c, int32_t dla_core) {
    CHECK()
    (void)dla_core;
    config_wish(c, "TensorRT");
}
void PD_ConfigEnableGpuMultiStream(PD_Config *c) {
    CHECK()
    config_wish(c, "a GPU");
}
void PD_ConfigSetExecStream(PD_Config *c, void *stream) {
    CHECK()
    (void)stream;
    config_wish(c, "a GPU");
}
