/* Handles of a predictor's inputs and outputs. */
#ifndef PD_TENSOR_H
#define PD_TENSOR_H

#include "pd_common.h"

typedef struct PD_Tensor PD_Tensor;
typedef struct PD_OneDimArrayInt32 PD_OneDimArrayInt32;
typedef struct PD_TwoDimArraySize PD_TwoDimArraySize;

#ifdef __cplusplus
extern "C" {
#endif

PADDLE_CAPI_EXPORT extern void PD_TensorDestroy(__pd_take PD_Tensor *pd_tensor);
PADDLE_CAPI_EXPORT extern void PD_TensorReshape(__pd_keep PD_Tensor *pd_tensor, size_t shape_size, int32_t *shape);

/* Room for elements of this type in the shape given before; NULL on failure. */
PADDLE_CAPI_EXPORT extern float *PD_TensorMutableDataFloat(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType place);
PADDLE_CAPI_EXPORT extern int64_t *PD_TensorMutableDataInt64(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType place);
PADDLE_CAPI_EXPORT extern int32_t *PD_TensorMutableDataInt32(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType place);
PADDLE_CAPI_EXPORT extern uint8_t *PD_TensorMutableDataUint8(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType place);
PADDLE_CAPI_EXPORT extern int8_t *PD_TensorMutableDataInt8(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType place);

/* The elements that are there, where they are and how many; NULL if they have another type. */
PADDLE_CAPI_EXPORT extern float *PD_TensorDataFloat(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType *place, int32_t *size);
PADDLE_CAPI_EXPORT extern int64_t *PD_TensorDataInt64(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType *place, int32_t *size);
PADDLE_CAPI_EXPORT extern int32_t *PD_TensorDataInt32(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType *place, int32_t *size);
PADDLE_CAPI_EXPORT extern uint8_t *PD_TensorDataUint8(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType *place, int32_t *size);
PADDLE_CAPI_EXPORT extern int8_t *PD_TensorDataInt8(__pd_keep PD_Tensor *pd_tensor, PD_PlaceType *place, int32_t *size);

/* As many elements as the shape given before has are read from `data`. */
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuFloat(__pd_keep PD_Tensor *pd_tensor, const float *data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuInt64(__pd_keep PD_Tensor *pd_tensor, const int64_t *data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuInt32(__pd_keep PD_Tensor *pd_tensor, const int32_t *data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuUint8(__pd_keep PD_Tensor *pd_tensor, const uint8_t *data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuInt8(__pd_keep PD_Tensor *pd_tensor, const int8_t *data);

/* All elements are written to `data`; other types than the tensor's are refused. */
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuFloat(__pd_keep PD_Tensor *pd_tensor, float *data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuInt64(__pd_keep PD_Tensor *pd_tensor, int64_t *data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuInt32(__pd_keep PD_Tensor *pd_tensor, int32_t *data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuUint8(__pd_keep PD_Tensor *pd_tensor, uint8_t *data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuInt8(__pd_keep PD_Tensor *pd_tensor, int8_t *data);

PADDLE_CAPI_EXPORT extern __pd_give PD_OneDimArrayInt32 *PD_TensorGetShape(__pd_keep PD_Tensor *pd_tensor);
PADDLE_CAPI_EXPORT extern void PD_TensorSetLod(__pd_keep PD_Tensor *pd_tensor, __pd_keep PD_TwoDimArraySize *lod);
PADDLE_CAPI_EXPORT extern __pd_give PD_TwoDimArraySize *PD_TensorGetLod(__pd_keep PD_Tensor *pd_tensor);
PADDLE_CAPI_EXPORT extern const char *PD_TensorGetName(__pd_keep PD_Tensor *pd_tensor);
PADDLE_CAPI_EXPORT extern PD_DataType PD_TensorGetDataType(__pd_keep PD_Tensor *pd_tensor);

/* DyGraph's own: elements of the types that PD_DataType has no number for, by name: "bool", "int16", "float16", "bfloat16",
 * "float64", and the others. TRUE if it could be done; the tensor's type must be the one named when reading. */
PADDLE_CAPI_EXPORT extern PD_Bool PD_TensorCopyFromCpuNamed(__pd_keep PD_Tensor *pd_tensor, const char *type, const void *data);
PADDLE_CAPI_EXPORT extern PD_Bool PD_TensorCopyToCpuNamed(__pd_keep PD_Tensor *pd_tensor, const char *type, void *data);
PADDLE_CAPI_EXPORT extern const char *PD_TensorGetTypeName(__pd_keep PD_Tensor *pd_tensor);

#ifdef __cplusplus
}
#endif

#endif
