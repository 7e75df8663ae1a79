/* Finds out which variants this processor can run; compiled for any processor. */
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

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

static int has(const char *variant) {
    __builtin_cpu_init();
    return !strcmp(variant, "avx512")    ? has_avx512()
           : !strcmp(variant, "avxvnni") ? has_avxvnni()
           : !strcmp(variant, "avx2")    ? has_avx2()
                                         : 0;
}
#elif defined(__linux__)
#include <sys/auxv.h>

enum { DOT_PRODUCTS = 1 << 20 }; /* HWCAP_ASIMDDP */

static int has(const char *variant) { return !strcmp(variant, "neon") && getauxval(AT_HWCAP) & DOT_PRODUCTS; }
#else
static int has(const char *variant) { return !strcmp(variant, "neon"); } /* all Apple processors */
#endif

/* The version of the functions that Python calls: one more whenever their arguments or results change, here and in
   library.py. A library that was built from older sources would read other arguments than it is given. */
int redraft_interface(void) { return 6; }

/* BUILT lists the variants in this library, with a space before and after each name. */
int redraft_runs(const char *variant) {
    char name[32] = " ";
    strncat(name, variant, sizeof name - 3);
    strcat(name, " ");
    return strstr(BUILT, name) && has(variant);
}
