/* What the machine can do at most: multiply-adds in registers, and bytes to and from memory, on all threads.

   cc -O3 -march=native -pthread limits.c -o limits && ./limits THREADS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef float vec __attribute__((vector_size(64)));
enum { ACCUMULATORS = 12, ROUNDS = 20 * 1000 * 1000, FLOATS = 32 * 1024 * 1024 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void *multiply_add(void *result)
{
    vec sums[ACCUMULATORS], factor = {0}, term = {0};
    for (int k = 0; k < ACCUMULATORS; k++)
        sums[k] = term + (float)k;
    factor += 0.999f;
    term += 0.001f;
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < ACCUMULATORS; k++)
            sums[k] = sums[k] * factor + term;
    for (int k = 1; k < ACCUMULATORS; k++)
        sums[0] += sums[k];
    *(float *)result = sums[0][0];
    return NULL;
}

static void *copy(void *arrays)
{
    float *a = arrays, *b = a + FLOATS;
    for (int i = 0; i < 5; i++)
        memmove(i % 2 ? a : b, i % 2 ? b : a, FLOATS * sizeof(float));
    return NULL;
}

static double seconds(int threads, void *(*work)(void *), void **arguments)
{
    pthread_t ids[256];
    double start = now();
    for (int t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, work, arguments[t]);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    return now() - start;
}

int main(int count, char **words)
{
    int threads = count > 1 ? atoi(words[1]) : 1;
    if (threads < 1 || threads > 256)
        return 2;
    void *arrays[256];
    for (int t = 0; t < threads; t++)
        if ((arrays[t] = malloc(2 * FLOATS * sizeof(float))) == NULL)
            return 1;
        else
            memset(arrays[t], 1, 2 * FLOATS * sizeof(float));
    double work = 0, moved = 0;
    for (int round = 0; round < 3; round++) {
        double f = 2.0 * 16 * ACCUMULATORS * ROUNDS * threads / seconds(threads, multiply_add, arrays) / 1e9;
        double b = 2.0 * 5 * FLOATS * sizeof(float) * threads / seconds(threads, copy, arrays) / 1e9;
        work = f > work ? f : work;
        moved = b > moved ? b : moved;
    }
    printf("{\"gflops\": %.1f, \"gbytes\": %.1f}\n", work, moved);
    return 0;
}
