/* A pool of threads that share the steps of one computation.

   Every worker runs the whole program. The program has steps, and a step has items. Workers claim items until none is
   left, then wait until all claimed items are done. A worker that has claimed nothing is not waited for, so a thread
   that sleeps or has no core does not delay the others. */
#ifndef REDRAFT_THREAD_POOL_H
#define REDRAFT_THREAD_POOL_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MAX_STEPS = 4096, OPEN = 1 << 30, PAUSES_BEFORE_YIELD = 4000, PAUSES_BEFORE_SLEEP = 6000 };

typedef struct {
    _Alignas(64) atomic_int next;
    _Alignas(64) atomic_int done;
} step;

typedef struct pool pool;

typedef struct {
    pool *pool;
    int number; /* the caller's thread is worker 0 */
    int step_number;
    bool has_item;
} worker;

typedef void program(worker *self, void *state);

struct pool {
    step steps[MAX_STEPS];
    program *program;
    void *state;
    int used; /* steps to reset before the next run */
    _Alignas(64) atomic_int gate;
    _Alignas(64) atomic_uint run;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int sleepers;
    bool closing;
    int extra_threads;
    pthread_t *threads;
    worker *workers;
};

/* Tells the processor that this thread is waiting. */
static inline void pause_processor(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline void wait_briefly(int *pauses_left) {
    pause_processor();
    if (--*pauses_left < 0) sched_yield();
}

/* The next item of the step, or -1 once all are done: for (int item; (item = claim_item(self, count)) >= 0;) … */
static inline int claim_item(worker *self, int count) {
    step *current = &self->pool->steps[self->step_number];
    if (self->has_item) {
        atomic_fetch_add_explicit(&current->done, 1, memory_order_release);
        self->has_item = false;
    }
    int item = atomic_load_explicit(&current->next, memory_order_relaxed);
    if (item < count) item = atomic_fetch_add_explicit(&current->next, 1, memory_order_relaxed);
    if (item < count) {
        self->has_item = true;
        return item;
    }
    int pauses_left = PAUSES_BEFORE_YIELD;
    while (atomic_load_explicit(&current->done, memory_order_acquire) < count) wait_briefly(&pauses_left);
    self->step_number++;
    return -1;
}

static void run_program(worker *self) {
    self->step_number = 0;
    self->has_item = false;
    self->pool->program(self, self->pool->state);
}

static void *run_worker(void *argument) {
    worker *self = argument;
    pool *pool = self->pool;
    unsigned seen = 0;
    for (;;) {
        for (int pause = 0; pause < PAUSES_BEFORE_SLEEP && atomic_load(&pool->run) == seen; pause++) pause_processor();
        pthread_mutex_lock(&pool->lock);
        pool->sleepers++;
        while (atomic_load(&pool->run) == seen && !pool->closing) pthread_cond_wait(&pool->wake, &pool->lock);
        pool->sleepers--;
        bool closing = pool->closing;
        pthread_mutex_unlock(&pool->lock);
        if (closing) return NULL;
        seen = atomic_load(&pool->run);
        int gate = atomic_load(&pool->gate);
        while (gate & OPEN && !atomic_compare_exchange_weak(&pool->gate, &gate, gate + 1)) {}
        if (!(gate & OPEN)) continue;
        run_program(self);
        atomic_fetch_sub_explicit(&pool->gate, 1, memory_order_release);
    }
}

/* Runs the program on all workers; one run at a time. */
static void run_on_pool(pool *pool, program *program, void *state) {
    for (int index = 0; index < pool->used; index++) {
        atomic_store_explicit(&pool->steps[index].next, 0, memory_order_relaxed);
        atomic_store_explicit(&pool->steps[index].done, 0, memory_order_relaxed);
    }
    pool->program = program;
    pool->state = state;
    if (pool->extra_threads) {
        atomic_store(&pool->gate, OPEN);
        pthread_mutex_lock(&pool->lock);
        atomic_fetch_add(&pool->run, 1);
        if (pool->sleepers) pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
    run_program(&pool->workers[0]);
    pool->used = pool->workers[0].step_number;
    if (pool->extra_threads) {
        atomic_fetch_and(&pool->gate, ~OPEN);
        int pauses_left = PAUSES_BEFORE_YIELD;
        while (atomic_load_explicit(&pool->gate, memory_order_acquire)) wait_briefly(&pauses_left);
    }
}

static void close_pool(pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int index = 0; index < pool->extra_threads; index++) pthread_join(pool->threads[index], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->wake);
    free(pool->threads);
    free(pool->workers);
    free(pool);
}

/* A pool of `size` workers, or fewer if no more threads can be created; NULL if there is not enough memory. */
static pool *open_pool(int size) {
    pool *pool = aligned_alloc(64, (sizeof(struct pool) + 63) / 64 * 64);
    if (!pool) return NULL;
    *pool = (struct pool){.used = MAX_STEPS};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->threads = calloc(size, sizeof(pthread_t));
    pool->workers = calloc(size, sizeof(worker));
    if (!pool->threads || !pool->workers) {
        close_pool(pool);
        return NULL;
    }
    for (int index = 0; index < size; index++) pool->workers[index] = (worker){.pool = pool, .number = index};
    for (int index = 1; index < size; index++) {
        if (pthread_create(&pool->threads[pool->extra_threads], NULL, run_worker, &pool->workers[index])) break;
        pool->extra_threads++;
    }
    return pool;
}

#endif
