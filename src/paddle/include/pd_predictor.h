/* Predictors. One is used by one thread at a time; a clone shares its parameters and may be used by another thread. */
#ifndef PD_PREDICTOR_H
#define PD_PREDICTOR_H

#include "pd_common.h"

typedef struct PD_Predictor PD_Predictor;
typedef struct PD_Config PD_Config;
typedef struct PD_Tensor PD_Tensor;
typedef struct PD_OneDimArrayCstr PD_OneDimArrayCstr;
typedef struct PD_IOInfos PD_IOInfos;

#ifdef __cplusplus
extern "C" {
#endif

/* Read the model of a configuration, which is destroyed in any case. NULL if that isn't possible: see PD_GetLastError. */
PADDLE_CAPI_EXPORT extern __pd_give PD_Predictor *PD_PredictorCreate(__pd_take PD_Config *pd_config);
PADDLE_CAPI_EXPORT extern __pd_give PD_Predictor *PD_PredictorClone(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern __pd_give PD_OneDimArrayCstr *PD_PredictorGetInputNames(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern __pd_give PD_IOInfos *PD_PredictorGetInputInfos(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern __pd_give PD_OneDimArrayCstr *PD_PredictorGetOutputNames(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern __pd_give PD_IOInfos *PD_PredictorGetOutputInfos(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern size_t PD_PredictorGetInputNum(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern size_t PD_PredictorGetOutputNum(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern __pd_give PD_Tensor *PD_PredictorGetInputHandle(__pd_keep PD_Predictor *pd_predictor, const char *name);
PADDLE_CAPI_EXPORT extern __pd_give PD_Tensor *PD_PredictorGetOutputHandle(__pd_keep PD_Predictor *pd_predictor, const char *name);
PADDLE_CAPI_EXPORT extern PD_Bool PD_PredictorRun(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern void PD_PredictorClearIntermediateTensor(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern uint64_t PD_PredictorTryShrinkMemory(__pd_keep PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern void PD_PredictorDestroy(__pd_take PD_Predictor *pd_predictor);
PADDLE_CAPI_EXPORT extern const char *PD_GetVersion(void);

#ifdef __cplusplus
}
#endif

#endif
