/* A few threads that share the steps of one computation.

   A computation is a program that every member runs from start to end. It is cut into phases, a phase into items, and
   members claim items until none is left; then they wait until all claimed ones are done. Nobody waits for a member
   that has claimed nothing, so a thread that sleeps, or that the system gave no core, holds nobody up. */
#ifndef REDRAFT_TEAM_H
#define REDRAFT_TEAM_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PHASES = 4096, OPEN = 1 << 30, PAUSES_BEFORE_YIELD = 4000, PAUSES_BEFORE_SLEEP = 6000 };

typedef struct {
    _Alignas(64) atomic_int next;
    _Alignas(64) atomic_int done;
} phase;

typedef struct team team;

typedef struct {
    team *team;
    int number; /* the caller's thread is member 0 */
    int at;     /* the phase */
    bool holding;
} member;

typedef void program(member *self, void *state);

struct team {
    phase phases[PHASES];
    program *program;
    void *state;
    int used; /* phases to clear before the next run */
    _Alignas(64) atomic_int gate;
    _Alignas(64) atomic_uint run;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int sleepers;
    bool closing;
    int workers;
    pthread_t *threads;
    member *members;
};

/* Tells the processor that this thread only waits. */
static inline void rest(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline void relax(int *patience) {
    rest();
    if (--*patience < 0) sched_yield();
}

/* The next item of the phase, or -1 once all of them are done: for (int item; (item = claim(self, count)) >= 0;) … */
static inline int claim(member *self, int count) {
    phase *phase = &self->team->phases[self->at];
    if (self->holding) {
        atomic_fetch_add_explicit(&phase->done, 1, memory_order_release);
        self->holding = false;
    }
    int item = atomic_load_explicit(&phase->next, memory_order_relaxed);
    if (item < count) item = atomic_fetch_add_explicit(&phase->next, 1, memory_order_relaxed);
    if (item < count) {
        self->holding = true;
        return item;
    }
    int patience = PAUSES_BEFORE_YIELD;
    while (atomic_load_explicit(&phase->done, memory_order_acquire) < count) relax(&patience);
    self->at++;
    return -1;
}

static void take_part(member *self) {
    self->at = 0;
    self->holding = false;
    self->team->program(self, self->team->state);
}

static void *work(void *argument) {
    member *self = argument;
    team *team = self->team;
    unsigned seen = 0;
    for (;;) {
        for (int pause = 0; pause < PAUSES_BEFORE_SLEEP && atomic_load(&team->run) == seen; pause++) rest();
        pthread_mutex_lock(&team->lock);
        team->sleepers++;
        while (atomic_load(&team->run) == seen && !team->closing) pthread_cond_wait(&team->wake, &team->lock);
        team->sleepers--;
        bool closing = team->closing;
        pthread_mutex_unlock(&team->lock);
        if (closing) return NULL;
        seen = atomic_load(&team->run);
        int gate = atomic_load(&team->gate);
        while (gate & OPEN && !atomic_compare_exchange_weak(&team->gate, &gate, gate + 1)) {}
        if (!(gate & OPEN)) continue;
        take_part(self);
        atomic_fetch_sub_explicit(&team->gate, 1, memory_order_release);
    }
}

/* Runs the program on all members; one run at a time. */
static void assemble(team *team, program *program, void *state) {
    for (int index = 0; index < team->used; index++) {
        atomic_store_explicit(&team->phases[index].next, 0, memory_order_relaxed);
        atomic_store_explicit(&team->phases[index].done, 0, memory_order_relaxed);
    }
    team->program = program;
    team->state = state;
    if (team->workers) {
        atomic_store(&team->gate, OPEN);
        pthread_mutex_lock(&team->lock);
        atomic_fetch_add(&team->run, 1);
        if (team->sleepers) pthread_cond_broadcast(&team->wake);
        pthread_mutex_unlock(&team->lock);
    }
    take_part(&team->members[0]);
    team->used = team->members[0].at;
    if (team->workers) {
        atomic_fetch_and(&team->gate, ~OPEN);
        int patience = PAUSES_BEFORE_YIELD;
        while (atomic_load_explicit(&team->gate, memory_order_acquire)) relax(&patience);
    }
}

static void dismiss(team *team) {
    pthread_mutex_lock(&team->lock);
    team->closing = true;
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->lock);
    for (int index = 0; index < team->workers; index++) pthread_join(team->threads[index], NULL);
    pthread_mutex_destroy(&team->lock);
    pthread_cond_destroy(&team->wake);
    free(team->threads);
    free(team->members);
    free(team);
}

/* As many members as asked for, or fewer where no more threads can be had; NULL without memory. */
static team *gather(int size) {
    team *team = aligned_alloc(64, (sizeof(struct team) + 63) / 64 * 64);
    if (!team) return NULL;
    *team = (struct team){.used = PHASES};
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->wake, NULL);
    team->threads = calloc(size, sizeof(pthread_t));
    team->members = calloc(size, sizeof(member));
    if (!team->threads || !team->members) {
        dismiss(team);
        return NULL;
    }
    for (int index = 0; index < size; index++) team->members[index] = (member){.team = team, .number = index};
    for (int index = 1; index < size; index++) {
        if (pthread_create(&team->threads[team->workers], NULL, work, &team->members[index])) break;
        team->workers++;
    }
    return team;
}

#endif
