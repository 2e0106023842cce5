/* A complete provider in one file of C, the template to copy: gemm and axpy of float and double on the host,
 * with any strides and batches, by plain loops. It needs prism/provider.h and nothing else.
 * docs/adding-a-provider.md explains it. */
#include <prism/provider.h>

#include <stdlib.h>
#include <string.h>

struct prism_provider_state {
  int unused;
};

struct prism_provider_plan {
  prism_provider_operation what; /* a copy: the caller's may go */
};

static void say(prism_message* to, const char* text) {
  if (to == NULL || to->struct_size < sizeof(prism_message)) return;
  strncpy(to->text, text, sizeof to->text - 1);
  to->text[sizeof to->text - 1] = 0;
}

static prism_status open_it(prism_provider_state** state, const char** library_version, prism_message* why) {
  *state = (prism_provider_state*)calloc(1, sizeof(prism_provider_state));
  *library_version = "1";
  if (*state != NULL) return PRISM_OK;
  say(why, "no memory");
  return PRISM_OUT_OF_MEMORY;
}

static void close_it(prism_provider_state* state) { free(state); }

static int64_t batch_of(const prism_provider_operation* what, int rank) {
  return what->operand[0].rank > rank ? what->operand[0].extent[rank] : 1;
}

/* Why one operand cannot be served; null when it can. */
static const char* wrong_operand(const prism_provider_operation* what, int i, int rank, int written) {
  const prism_provider_operand* a = &what->operand[i];
  int d, e;
  if (a->type != what->operand[0].type || (a->type != PRISM_F32 && a->type != PRISM_F64))
    return "operands are all float or all double";
  if (a->rank != what->operand[0].rank || a->rank < rank || a->rank > rank + 1)
    return "an operand has a rank that the operation does not have";
  if (a->storage != PRISM_STORED_FULL || (a->flags & ~(uint32_t)PRISM_CONJUGATED) != 0)
    return "operands are stored in full"; /* real: conjugates are the same */
  for (d = 0; d < a->rank; ++d)
    if (a->extent[d] < 0) return "an extent is negative";
  if (a->rank > rank && a->extent[rank] != batch_of(what, rank)) return "batches disagree";
  for (d = 0; written && d < a->rank; ++d) {
    if (a->extent[d] > 1 && a->stride[d] == 0) return "the elements of a written operand overlap";
    for (e = 0; e < d; ++e)
      if (a->extent[d] > 1 && a->extent[e] > 1 && a->stride[d] == a->stride[e])
        return "the elements of a written operand overlap";
  }
  return NULL;
}

static const char* wrong_operation(const prism_provider_device* device,
                                   const prism_provider_operation* what) {
  const prism_provider_operand *a = &what->operand[0], *b = &what->operand[1], *c = &what->operand[2];
  const int is_gemm = what->operation == PRISM_GEMM, rank = is_gemm ? 2 : 1, count = is_gemm ? 3 : 2;
  int i;
  if (device->native != PRISM_NATIVE_HOST) return "it supports only the host";
  if (what->struct_size < sizeof(prism_provider_operation) ||
      what->operand_size != sizeof(prism_provider_operand))
    return "the description has another size";
  if (!is_gemm && what->operation != PRISM_AXPY) return "it supports only gemm and axpy";
  if (what->operand_count != count) return "the number of operands is not the operation's";
  if (what->uplo != 0 || what->side != 0 || what->diag != 0) return "neither has a triangle or a side";
  if (what->compute != 0 && what->compute != a->type) return "it computes in the operands' type";
  for (i = 0; i < count; ++i) {
    const char* const why = wrong_operand(what, i, rank, i == count - 1);
    if (why != NULL) return why;
  }
  if (!is_gemm) return a->extent[0] == b->extent[0] ? NULL : "the vectors have different extents";
  return a->extent[1] == b->extent[0] && a->extent[0] == c->extent[0] && b->extent[1] == c->extent[1]
             ? NULL
             : "the matrices' extents disagree";
}

static void query(prism_provider_state* state, const prism_provider_device* device,
                  const prism_provider_operation* what, prism_provider_support* answer) {
  const char* const why = wrong_operation(device, what);
  (void)state;
  answer->supported = why == NULL;
  if (why != NULL) {
    strncpy(answer->reason, why, sizeof answer->reason - 1);
    answer->reason[sizeof answer->reason - 1] = 0;
    return;
  }
  answer->reproducible = PRISM_REPRODUCIBLE_ALWAYS; /* one thread, one order */
  answer->workspace_bytes = 0;
  answer->most_threads = 1;
  answer->efficiency = 0.01;
  answer->overhead_ns = 50;
}

static prism_status plan(prism_provider_state* state, const prism_provider_device* device,
                         const prism_provider_operation* what, prism_provider_plan** out,
                         prism_message* why) {
  const char* const wrong = wrong_operation(device, what);
  (void)state;
  if (wrong != NULL) {
    say(why, wrong);
    return PRISM_UNSUPPORTED;
  }
  *out = (prism_provider_plan*)malloc(sizeof(prism_provider_plan));
  if (*out == NULL) {
    say(why, "no memory");
    return PRISM_OUT_OF_MEMORY;
  }
  (*out)->what = *what;
  return PRISM_OK;
}

static void drop(prism_provider_plan* made) { free(made); }

/* Element `at` of an operand of either type. */
static double get(const prism_provider_operand* a, const void* first, int64_t at) {
  return a->type == PRISM_F32 ? (double)((const float*)first)[at] : ((const double*)first)[at];
}
static void set(const prism_provider_operand* a, void* first, int64_t at, double value) {
  if (a->type == PRISM_F32) ((float*)first)[at] = (float)value;
  else ((double*)first)[at] = value;
}
static int64_t batch_offset(const prism_provider_operand* a, int rank, int64_t batch) {
  return a->rank > rank ? batch * a->stride[rank] : 0;
}

static void run_gemm(const prism_provider_operation* what, void* const* first, const prism_provider_run* how,
                     int64_t batch) {
  const prism_provider_operand *a = &what->operand[0], *b = &what->operand[1], *c = &what->operand[2];
  const int64_t at_a = batch_offset(a, 2, batch), at_b = batch_offset(b, 2, batch),
                at_c = batch_offset(c, 2, batch);
  int64_t i, j, l;
  for (i = 0; i < c->extent[0]; ++i)
    for (j = 0; j < c->extent[1]; ++j) {
      const int64_t at = at_c + i * c->stride[0] + j * c->stride[1];
      double sum = 0;
      for (l = 0; l < a->extent[1]; ++l)
        sum += get(a, first[0], at_a + i * a->stride[0] + l * a->stride[1]) *
               get(b, first[1], at_b + l * b->stride[0] + j * b->stride[1]);
      sum *= how->alpha[0];
      if (how->beta[0] != 0)
        sum += how->beta[0] * get(c, first[2], at); /* with beta = 0 C is not read: it may be NaN */
      set(c, first[2], at, sum);
    }
}

static void run_axpy(const prism_provider_operation* what, void* const* first, const prism_provider_run* how,
                     int64_t batch) {
  const prism_provider_operand *x = &what->operand[0], *y = &what->operand[1];
  int64_t i;
  for (i = 0; i < x->extent[0]; ++i) {
    const int64_t at = batch_offset(y, 1, batch) + i * y->stride[0];
    set(y, first[1], at,
        how->alpha[0] * get(x, first[0], batch_offset(x, 1, batch) + i * x->stride[0]) +
            get(y, first[1], at));
  }
}

static prism_status run(const prism_provider_plan* made, const prism_provider_run* how, prism_message* why) {
  const prism_provider_operation* const what = &made->what;
  const int is_gemm = what->operation == PRISM_GEMM;
  void* first[3] = {NULL, NULL, NULL};
  int64_t batch;
  int i;
  if (how->native != PRISM_NATIVE_HOST || how->threads < 1 || how->memory == NULL) {
    say(why, "the run is not one of the host, or grants no thread, or has no operands");
    return PRISM_INVALID;
  }
  for (i = 0; i < what->operand_count; ++i)
    if (how->memory[i].pointer != NULL) first[i] = (char*)how->memory[i].pointer + how->memory[i].offset;
  for (batch = 0; batch < batch_of(what, is_gemm ? 2 : 1); ++batch) {
    if (is_gemm) run_gemm(what, first, how, batch);
    else run_axpy(what, first, how, batch);
  }
  return PRISM_OK;
}

static const prism_provider table = {sizeof(prism_provider),
                                     PRISM_PROVIDER_ABI,
                                     1u << PRISM_NATIVE_HOST,
                                     "naive",
                                     "1",
                                     "plain loops",
                                     open_it,
                                     query,
                                     plan,
                                     run,
                                     drop,
                                     close_it};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const prism_provider*
prism_provider_entry(void);
const prism_provider* prism_provider_entry(void) { return &table; }
