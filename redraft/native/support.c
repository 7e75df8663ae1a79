/* Compiled for any processor: which of the variants that were built can this one run? */
#include <cpuid.h>
#include <string.h>

static int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

static int has_avxvnni(void) {
    unsigned a, b, c, d;
    return has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1);
}

static int has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("fma");
}

int redraft_runs(const char *variant) {
    __builtin_cpu_init();
#ifdef BUILT_avx512
    if (!strcmp(variant, "avx512")) return has_avx512();
#endif
#ifdef BUILT_avxvnni
    if (!strcmp(variant, "avxvnni")) return has_avxvnni();
#endif
#ifdef BUILT_avx2
    if (!strcmp(variant, "avx2")) return has_avx2();
#endif
    (void)has_avx2, (void)has_avxvnni, (void)has_avx512, (void)variant;
    return 0;
}
