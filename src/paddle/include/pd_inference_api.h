/* The whole C inference API. */
#ifndef PD_INFERENCE_API_H
#define PD_INFERENCE_API_H

#include "pd_common.h"
#include "pd_config.h"
#include "pd_predictor.h"
#include "pd_tensor.h"
#include "pd_types.h"
#include "pd_utils.h"

#endif
