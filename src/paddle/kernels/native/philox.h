/* Names for the random generator of philox.inc. */
#ifndef PADDLE_NATIVE_PHILOX_H
#define PADDLE_NATIVE_PHILOX_H

#include "common.h"

/* Every use has a stream of its own under a key, so that no two of them see the same random words. */
enum random_stream {
    STREAM_MASK, STREAM_UNIFORM_F32, STREAM_NORMAL_F32, STREAM_UNIFORM_F64, STREAM_NORMAL_F64, STREAM_ATTENTION
};

#define RANDOM_WORDS 64 /* 32-bit words of a block: the four words of 16 neighbouring counters */

#endif
