/* Protobuf's wire format: one field after the other, never past the end. */
#ifndef DYGRAPH_WIRE_H
#define DYGRAPH_WIRE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const uint8_t *at, *end;
} wire_t;

typedef struct {
    uint32_t number;
    int kind;       /* 0 varint, 1 eight bytes, 2 bytes, 5 four bytes */
    uint64_t value; /* kinds 0, 1, 5 */
    wire_t bytes;   /* kind 2 */
} field_t;

static inline wire_t wire_of(const void *bytes, size_t size) { return (wire_t){bytes, (const uint8_t *)bytes + size}; }
static inline size_t wire_size(const wire_t *wire) { return (size_t)(wire->end - wire->at); }

int wire_next(wire_t *wire, field_t *field); /* 1: there is one, 0: the end, -1 with a message: damaged */
int wire_varint(wire_t *wire, uint64_t *value);

float field_float(const field_t *field);
double field_double(const field_t *field);

#endif
