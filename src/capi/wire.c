/* Protobuf's wire format. */
#include "wire.h"

#include <string.h>

#include "tensor.h"

int wire_varint(wire_t *wire, uint64_t *value) {
    *value = 0;
    for (int shift = 0; shift < 70 && wire->at < wire->end; shift += 7) {
        uint8_t byte = *wire->at++;
        if (shift < 64) *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return 0;
    }
    return fail("the program is damaged: a number has no end");
}

static int take_bytes(wire_t *wire, size_t count, wire_t *bytes) {
    if (wire_size(wire) < count) return fail("the program is damaged: it ends within a field");
    *bytes = (wire_t){wire->at, wire->at + count};
    wire->at += count;
    return 0;
}

int wire_next(wire_t *wire, field_t *field) {
    if (wire->at == wire->end) return 0;
    uint64_t key, length;
    if (wire_varint(wire, &key)) return -1;
    *field = (field_t){.number = (uint32_t)(key >> 3), .kind = (int)(key & 7)};
    switch (field->kind) {
    case 0: return wire_varint(wire, &field->value) ? -1 : 1;
    case 1:
    case 5: {
        size_t count = field->kind == 1 ? 8 : 4;
        if (take_bytes(wire, count, &field->bytes)) return -1;
        for (size_t i = 0; i < count; i++) field->value |= (uint64_t)field->bytes.at[i] << (8 * i);
        return 1;
    }
    case 2: {
        if (wire_varint(wire, &length)) return -1;
        if (length > wire_size(wire)) return fail("the program is damaged: it ends within a field");
        return take_bytes(wire, (size_t)length, &field->bytes) ? -1 : 1;
    }
    default: return fail("the program is damaged: a field has the unknown wire type %d", field->kind);
    }
}

float field_float(const field_t *field) {
    uint32_t bits = (uint32_t)field->value;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double field_double(const field_t *field) {
    double value;
    memcpy(&value, &field->value, sizeof value);
    return value;
}
