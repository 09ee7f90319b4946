/* Destroyers of what functions of the C inference API give. NULL is allowed. */
#ifndef PD_UTILS_H
#define PD_UTILS_H

#include "pd_types.h"

#ifdef __cplusplus
extern "C" {
#endif

PADDLE_CAPI_EXPORT extern void PD_OneDimArrayInt32Destroy(__pd_take PD_OneDimArrayInt32 *array);
PADDLE_CAPI_EXPORT extern void PD_OneDimArrayInt64Destroy(__pd_take PD_OneDimArrayInt64 *array);
PADDLE_CAPI_EXPORT extern void PD_OneDimArrayCstrDestroy(__pd_take PD_OneDimArrayCstr *array);
PADDLE_CAPI_EXPORT extern void PD_OneDimArraySizeDestroy(__pd_take PD_OneDimArraySize *array);
PADDLE_CAPI_EXPORT extern void PD_TwoDimArraySizeDestroy(__pd_take PD_TwoDimArraySize *array);
PADDLE_CAPI_EXPORT extern void PD_CstrDestroy(__pd_take PD_Cstr *cstr);
PADDLE_CAPI_EXPORT extern void PD_IOInfoDestroy(__pd_take PD_IOInfo *io_info);
PADDLE_CAPI_EXPORT extern void PD_IOInfosDestroy(__pd_take PD_IOInfos *io_infos);

/* DyGraph's own: the operator types that this library runs. */
PADDLE_CAPI_EXPORT extern __pd_give PD_OneDimArrayCstr *PD_GetOperatorNames(void);

#ifdef __cplusplus
}
#endif

#endif
