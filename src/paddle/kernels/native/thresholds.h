/* Every size at which kernels change their way, in one place. benchmarks/thresholds.py measures them again: it builds the
 * library with other values of one name at a time and prints the times beside the value that stands here. */
#ifndef PADDLE_NATIVE_THRESHOLDS_H
#define PADDLE_NATIVE_THRESHOLDS_H

#ifndef MOVE_GRAIN
#define MOVE_GRAIN 65536 /* bytes that make one task of a copy, gather or choice: less is done before a worker wakes */
#endif
#ifndef SCAN_GRAIN
#define SCAN_GRAIN 32768 /* elements that make one task of a running sum */
#endif
#ifndef SORT_GRAIN
#define SORT_GRAIN 4096 /* elements that make one task of sorting */
#endif
#ifndef SORT_SMALL
#define SORT_SMALL 40 /* up to so many elements are sorted by insertion, more by their digits */
#endif
#ifndef BEST_SMALL
#define BEST_SMALL 64 /* up to so many best elements are kept in order all the time; more are collected and sorted in batches */
#endif
#ifndef STREAM_BYTES
#define STREAM_BYTES ((index_t)40 << 20) /* read and written together: results of more have left the caches before anyone reads them */
#endif
#ifndef COLUMNS_BYTES
#define COLUMNS_BYTES 16384 /* columns of a convolution that stay in the first-level cache together */
#endif
#ifndef WEIGHT_CHUNK
#define WEIGHT_CHUNK ((index_t)1 << 19) /* transformed elements of a chunk of Winograd's weight gradients, which a cache should hold */
#endif
#ifndef WEIGHT_MOST
#define WEIGHT_MOST ((index_t)1 << 21) /* the most of them, and of the sums that are made at once: what may become scratch memory */
#endif
/* Multiplications for each number that is moved into blocks of channels or back, from which on a convolution of prepared weights gains by it */
#ifndef BLOCKS_STRIDE
#define BLOCKS_STRIDE 160 /* with a stride */
#endif
#ifndef BLOCKS_PIXELS
#define BLOCKS_PIXELS 320 /* without */
#endif
#ifndef BLOCKS_SQUARES
#define BLOCKS_SQUARES 1000 /* by Winograd's algorithm, which does a quarter of them */
#endif

#endif
