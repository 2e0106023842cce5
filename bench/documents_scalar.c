/* Loops without SIMD, which documents.py compares the host device with. It compiles them with -O2 and without
 * vectorising, and prints processor time in seconds, the least of several runs: add, matrix multiply,
 * reduction, copy, each with the sizes of documents.py. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIZE = 1 << 20, N = 384, RUNS = 7 };

static float *x, *out, *product;
static volatile float sum_of_x;

static void add(void) {
  for (int i = 0; i < SIZE; ++i) out[i] = x[i] + x[i];
}
static void multiply(void) {
  for (int i = 0; i < N * N; ++i) product[i] = 0;
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < N; ++k)
      for (int j = 0; j < N; ++j) product[i * N + j] += x[i * N + k] * x[k * N + j];
}
static void sum(void) {
  float total = 0;
  for (int i = 0; i < SIZE; ++i) total += x[i];
  sum_of_x = total;
}
static void copy(void) {
  for (int i = 0; i < SIZE; ++i) out[i] = x[i];
}

static double best(void (*run)(void)) {
  double least = 1e9;
  for (int k = 0; k < RUNS; ++k) {
    const clock_t begin = clock();
    run();
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (k > 0 && seconds < least) least = seconds;
  }
  return least;
}

int main(void) {
  x = malloc(SIZE * sizeof *x), out = malloc(SIZE * sizeof *out), product = malloc(N * N * sizeof *product);
  if (x == NULL || out == NULL || product == NULL) return 1;
  for (int i = 0; i < SIZE; ++i) x[i] = (float)i / SIZE;
  printf("%g %g %g %g\n", best(add), best(multiply), best(sum), best(copy));
  return 0;
}
