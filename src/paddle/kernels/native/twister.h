/* The 64-bit Mersenne twister (Matsumoto and Nishimura 2004) as an array of words that Python holds. */
#ifndef PADDLE_NATIVE_TWISTER_H
#define PADDLE_NATIVE_TWISTER_H

#include "common.h"

#define TWISTER_WORDS 312
#define TWISTER_STATE (TWISTER_WORDS + 1) /* the words, then how many of them were handed out */

static inline uint64_t twister_temper(uint64_t x) {
    x ^= (x >> 29) & 0x5555555555555555u;
    x ^= (x << 17) & 0x71D67FFFEDA60000u;
    x ^= (x << 37) & 0xFFF7EEE000000000u;
    return x ^ (x >> 43);
}

/* Products and sums are rounded one by one, as they are where no instruction does both at once. */
#if defined(__clang__)
#define ROUND_EACH
#define ROUND_EACH_HERE _Pragma("clang fp contract(off)")
#else
#define ROUND_EACH __attribute__((optimize("fp-contract=off")))
#define ROUND_EACH_HERE
#endif

#endif
