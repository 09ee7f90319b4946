/* What a PD_Config holds. */
#ifndef DYGRAPH_CONFIG_H
#define DYGRAPH_CONFIG_H

#include <stddef.h>

#include "pd_inference_api.h"

enum pass { PASS_FOLD_CONSTANTS, PASS_FUSE, PASS_COUNT };

struct PD_Config {
    char *model_dir, *prog_file, *params_file, *cache_dir, *shape_path, *device_type;
    char *prog_buffer, *params_buffer;
    size_t prog_size, params_size;
    int from_memory, threads, no_passes[PASS_COUNT];
    PD_Bool ir_optim, memory_optim, profile, silent, invalid, fc_padding;
    PD_Bool mkldnn, quantizer, bfloat16, int8, lite;
    char wishes[256]; /* for what this library doesn't have */
};

/* Note a wish for something that this library doesn't have. */
void config_wish(PD_Config *config, const char *what);

/* Lists and texts for the caller; NULL with a message if memory is short. */
PD_OneDimArrayCstr *make_names(size_t count, const char *const *names);
PD_Cstr *make_text(const char *text);

#endif
