/* The thread pool behind parallel_for().
 *
 * Why our own: an idle worker sleeps after a few microseconds (a spinning one would slow down every other process),
 * a late worker never holds up a finished loop, fork() leaves the child with a working pool, and there is no OpenMP
 * run-time library to find, configure and share with others. */
#define _GNU_SOURCE
#include "common.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define MAX_THREADS 256
#define SPIN_NANOSECONDS 100000 /* longer than the Python time between two kernels of a training step */

/* A run of tasks that one thread begins with, and that the others take from when they have finished their own. */
typedef struct {
    _Alignas(64) atomic_llong next; /* first task that nobody has taken */
    long long end;
} share_t;

typedef struct {
    int (*work)(void *, index_t);
    void *context;
    int shares;
    atomic_int status;
} job_t;

/* The state of the pool in one word, so that joining and leaving a job is one step that waits for nobody: jobs posted so far (what an
 * idle worker watches), workers that may still join the present one, and workers that are in it. */
typedef uint64_t gate_t;
#define GATE_JOB ((gate_t)1 << 32)
#define GATE_PLACE ((gate_t)1 << 16)
#define JOB_OF(gate) ((uint32_t)((gate) >> 32))
#define PLACES_OF(gate) ((unsigned)((gate) >> 16 & 0xffff))
#define INSIDE_OF(gate) ((unsigned)((gate) & 0xffff))

static struct {
    pthread_mutex_t in_use;     /* held by the thread whose loop the pool runs */
    _Alignas(64) _Atomic gate_t gate;
    job_t *job;                 /* of the last number; may be read by who is inside */
    share_t shares[MAX_THREADS]; /* of that job */
    atomic_int sleeping;        /* workers, or about to */
    atomic_int owner_sleeps;    /* or is about to */
    pthread_mutex_t lock;       /* held to fall asleep and to wake up others, so that no signal is lost */
    pthread_cond_t job_posted, job_left;
    int started;                /* workers; changed by who holds in_use */
} pool = {
    .in_use = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .job_posted = PTHREAD_COND_INITIALIZER,
    .job_left = PTHREAD_COND_INITIALIZER,
};

static atomic_int wanted_threads = 1;
static _Thread_local int own_threads; /* of loops that this thread starts; 0: as many as all */

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Take tasks until there are none left: those of share `own` first, so that a thread meets the same part of the data in one loop
 * after the other and finds it in its cache. */
static void run_tasks(job_t *job, int own) {
    for (int i = 0; i < job->shares; i++) {
        share_t *share = &pool.shares[(own + i) % job->shares];
        for (long long task; (task = atomic_fetch_add(&share->next, 1)) < share->end;) {
            const int status = job->work(job->context, (index_t)task);
            if (status == NATIVE_OK) continue;
            atomic_store(&job->status, status);
            for (int k = 0; k < job->shares; k++) atomic_store(&pool.shares[k].next, pool.shares[k].end);
        }
    }
}

static void wake(pthread_cond_t *sleepers) {
    pthread_mutex_lock(&pool.lock);
    pthread_cond_broadcast(sleepers);
    pthread_mutex_unlock(&pool.lock);
}

/* The gate once a job after number `seen` is posted. */
static gate_t await_job(uint32_t seen) {
    gate_t gate;
    const int64_t deadline = now() + SPIN_NANOSECONDS;
    do {
        for (int i = 0; i < 8; i++) {
            gate = atomic_load(&pool.gate);
            if (JOB_OF(gate) != seen) return gate;
            relax();
        }
    } while (now() < deadline);
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(&pool.sleeping, 1); /* before the gate is looked at: who posts a job looks the other way round */
    while (gate = atomic_load(&pool.gate), JOB_OF(gate) == seen) pthread_cond_wait(&pool.job_posted, &pool.lock);
    atomic_fetch_sub(&pool.sleeping, 1);
    pthread_mutex_unlock(&pool.lock);
    return gate;
}

static void *worker(void *number) {
    uint32_t seen = 0;
    for (;;) {
        gate_t gate = await_job(seen);
        seen = JOB_OF(gate);
        int joined = 0;
        while (JOB_OF(gate) == seen && PLACES_OF(gate) > 0 && !joined)
            joined = atomic_compare_exchange_weak(&pool.gate, &gate, gate - GATE_PLACE + 1);
        if (!joined) continue;
        run_tasks(pool.job, (int)(intptr_t)number);
        if (INSIDE_OF(atomic_fetch_sub(&pool.gate, 1)) == 1 && atomic_load(&pool.owner_sleeps)) wake(&pool.job_left);
    }
    return NULL;
}

/* Have at least `workers` workers, or as many as the system grants. Called by who holds in_use. */
static void start_workers(int workers) {
    while (pool.started < workers) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, (void *)(intptr_t)(pool.started + 1))) return;
        pthread_detach(thread);
        pool.started++;
    }
}

/* No worker joins the job any more, and none is in it. */
static void close_job(void) {
    const gate_t shut = ~(gate_t)(0xffff * GATE_PLACE);
    gate_t gate = atomic_fetch_and(&pool.gate, shut) & shut; /* whoever has not come by now is not needed */
    const int64_t deadline = INSIDE_OF(gate) ? now() + SPIN_NANOSECONDS : 0;
    while (INSIDE_OF(gate) && now() < deadline)
        for (int i = 0; i < 8 && INSIDE_OF(gate = atomic_load(&pool.gate)); i++) relax();
    if (!INSIDE_OF(gate)) return;
    pthread_mutex_lock(&pool.lock);
    atomic_store(&pool.owner_sleeps, 1); /* before the gate is looked at: who leaves looks the other way round */
    while (INSIDE_OF(atomic_load(&pool.gate))) pthread_cond_wait(&pool.job_left, &pool.lock);
    atomic_store(&pool.owner_sleeps, 0);
    pthread_mutex_unlock(&pool.lock);
}

static int run_alone(index_t tasks, int (*work)(void *, index_t), void *context) {
    for (index_t task = 0; task < tasks; task++) {
        int status = work(context, task);
        if (status != NATIVE_OK) return status;
    }
    return NATIVE_OK;
}

int parallel_for(index_t tasks, int (*work)(void *context, index_t task), void *context) {
    int threads = (int)min_of(threads_count(), tasks);
    if (threads <= 1 || pthread_mutex_trylock(&pool.in_use)) return run_alone(tasks, work, context);

    job_t job = {.work = work, .context = context, .shares = threads};
    for (int i = 0; i < threads; i++) {
        atomic_store_explicit(&pool.shares[i].next, part_begin(tasks, threads, i), memory_order_relaxed);
        pool.shares[i].end = part_begin(tasks, threads, i + 1);
    }
    start_workers(threads - 1);
    pool.job = &job;
    const gate_t gate = atomic_load(&pool.gate); /* nobody is inside, nobody may come in */
    atomic_store(&pool.gate, gate + GATE_JOB + (gate_t)(threads - 1) * GATE_PLACE);
    if (atomic_load(&pool.sleeping)) wake(&pool.job_posted);
    run_tasks(&job, 0);
    close_job();
    pthread_mutex_unlock(&pool.in_use);
    return atomic_load(&job.status);
}

int parallel_for_if(int worthwhile, index_t tasks, int (*work)(void *context, index_t task), void *context) {
    return worthwhile ? parallel_for(tasks, work, context) : run_alone(tasks, work, context);
}

typedef struct {
    int (*work)(void *, index_t, index_t);
    void *context;
    index_t items, pieces;
} range_t;

static int run_piece(void *context, index_t piece) {
    range_t *range = context;
    return range->work(range->context, part_begin(range->items, range->pieces, piece),
                       part_begin(range->items, range->pieces, piece + 1));
}

int parallel_range(index_t items, index_t grain, int (*work)(void *context, index_t begin, index_t end), void *context) {
    if (items <= 0) return NATIVE_OK;
    /* four pieces a thread: if one thread is held up, the others take over its share */
    index_t pieces = max_of(1, min_of(items / max_of(grain, 1), 4 * (index_t)threads_count()));
    if (pieces == 1 || threads_count() == 1) return work(context, 0, items);
    range_t range = {work, context, items, pieces};
    return parallel_for(pieces, run_piece, &range);
}

int threads_count(void) { return own_threads ? own_threads : atomic_load_explicit(&wanted_threads, memory_order_relaxed); }

int threads_limit(int count) {
    int before = own_threads;
    own_threads = (int)max_of(0, min_of(count, MAX_THREADS));
    return before;
}

void threads_set(int count) { atomic_store(&wanted_threads, (int)max_of(1, min_of(count, MAX_THREADS))); }

/* fork() copies the calling thread only: the child forgets the parent's workers and starts its own when needed. */
static void before_fork(void) { pthread_mutex_lock(&pool.lock); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&pool.lock); }
static void after_fork_in_child(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_mutex_init(&pool.in_use, NULL);
    pthread_cond_init(&pool.job_posted, NULL);
    pthread_cond_init(&pool.job_left, NULL);
    pool.started = 0;
    atomic_store(&pool.sleeping, 0);
    atomic_store(&pool.owner_sleeps, 0);
    atomic_store(&pool.gate, 0);
}

int threads_start(void) { return pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }
