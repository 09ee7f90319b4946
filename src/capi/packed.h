/* Rows that are packed sequence behind sequence (LoD): what operators over them share. */
#ifndef DYGRAPH_PACKED_H
#define DYGRAPH_PACKED_H

#include "sizes.h"

/* An input with its innermost sequences. */
typedef struct {
    const tensor_t *x;
    const lod_t *lod;
    index_t count, inner; /* sequences; elements of a row */
    const index_t *ends;
} packed_t;

int read_packed(run_t *run, const op_t *op, const char *slot, packed_t *p);

static inline index_t length_of(const packed_t *p, index_t i) { return p->ends[i + 1] - p->ends[i]; }

int make_rows(run_t *run, tensor_t *y, const tensor_t *like, index_t rows); /* like another tensor, of so many rows */
void copy_rows(tensor_t *to, index_t at, const tensor_t *from, index_t first, index_t count, index_t inner);
lod_t *one_level(index_t sequences); /* one level of offsets, to be filled behind the first, which is 0 */
int give_packed(run_t *run, const op_t *op, const char *slot, tensor_t *t, lod_t *lod); /* takes both; status of `give` */

#endif
