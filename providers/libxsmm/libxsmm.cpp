// LIBXSMM on the host: small matrix products, single ones and batches, by kernels that it generates for the
// shape (Heinecke, Henry, Hutchinson, Pabst 2016, "LIBXSMM: Accelerating Small Matrix Multiplications by
// Runtime Code Generation").
//
// Its kernels compute C = A B and C = A B + C with contiguous columns. For other scalars the product goes to
// a buffer of the thread. For contiguous rows the product of the transposes is computed.
#include "kernels/provider/operation.hpp"
#include "providers/answers.hpp"
#include "providers/libxsmm/estimate.hpp"

#include <libxsmm.h>

#include <new>
#include <string>
#include <vector>

struct prism_provider_state {};

struct prism_provider_plan {
  prism_provider_operation what;
  libxsmm_xmmfunction overwrite, add, apart; // apart: overwrites a dense m x n
  int left = 0, right = 1;                   // operands, exchanged for contiguous rows
  int m = 0, n = 0, k = 0, lda = 1, ldb = 1, ldc = 1;
  std::int64_t batch = 1;
};

namespace {

using operand = prism_provider_operand;
using prism_providers::has_wide_vectors, prism_providers::say, prism_providers::supports;
constexpr std::int64_t most = 128;

/// Leading dimension if dimension `inner` is contiguous; 0 if it is not.
int leading(const operand& a, int inner) {
  if (a.extent[inner] > 1 && a.stride[inner] != 1) return 0;
  const std::int64_t ld = a.extent[1 - inner] > 1 ? a.stride[1 - inner] : a.extent[inner];
  return ld >= a.extent[inner] && ld < (1 << 30) ? int(ld) : 0;
}

template <typename T, auto Dispatch>
libxsmm_xmmfunction kernel(const prism_provider_plan& p, int flags, int ldc, T beta) {
  const T alpha = 1;
  const int prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  libxsmm_xmmfunction out{};
  const auto made = Dispatch(p.m, p.n, p.k, &p.lda, &p.ldb, &ldc, &alpha, &beta, &flags, &prefetch);
  if constexpr (sizeof(T) == 4) out.smm = made;
  else out.dmm = made;
  return out;
}
template <typename T, auto Dispatch>
bool generate(prism_provider_plan& p, int flags) {
  p.overwrite = kernel<T, Dispatch>(p, flags, p.ldc, T(0));
  p.add = kernel<T, Dispatch>(p, flags, p.ldc, T(1));
  p.apart = kernel<T, Dispatch>(p, flags, p.m, T(0));
  return p.overwrite.xmm && p.add.xmm && p.apart.xmm;
}

/// Sets the plan for the contiguous dimension of C: 0 for columns, 1 for rows. `flags`: whether the second
/// factor is transposed.
bool set_shape(prism_provider_plan& p, int inner, int& flags) {
  p.left = inner, p.right = 1 - inner;
  const operand &a = p.what.operand[p.left], &b = p.what.operand[p.right], &c = p.what.operand[2];
  p.m = int(c.extent[inner]), p.n = int(c.extent[1 - inner]), p.k = int(p.what.operand[0].extent[1]);
  p.lda = leading(a, inner), p.ldc = leading(c, inner), p.ldb = leading(b, inner);
  flags = LIBXSMM_GEMM_FLAG_NONE;
  if (!p.ldb) p.ldb = leading(b, 1 - inner), flags = LIBXSMM_GEMM_FLAG_TRANS_B;
  return p.lda && p.ldb && p.ldc;
}

const char* refusal(const prism_provider_device& device, const prism_provider_operation& what,
                    prism_provider_plan& out, std::string& text) {
  if (device.native != PRISM_NATIVE_HOST) return "it supports only the host";
  text = prism::provider::contradiction_in(what);
  if (!text.empty()) return text.c_str();
  if (what.operation != PRISM_GEMM) return "it has gemm";
  const std::int32_t type = what.operand[0].type;
  if (type != PRISM_F32 && type != PRISM_F64) return "float and double";
  if (what.compute != 0 && what.compute != type) return "products are added in the operands' own type only";
  for (const int i : {0, 1, 2}) {
    const operand& a = what.operand[i];
    if (a.type != type) return "operands of different types";
    for (const int d : {0, 1})
      if (a.extent[d] < 1 || a.extent[d] > most) return "extents of 1 to 128";
  }
  out.what = what, out.batch = prism::provider::batch_of(what);
  for (const int inner : {0, 1}) {
    int flags = 0;
    if (!set_shape(out, inner, flags)) continue;
    const bool made = type == PRISM_F32 ? generate<float, libxsmm_smmdispatch>(out, flags)
                                        : generate<double, libxsmm_dmmdispatch>(out, flags);
    if (made) return nullptr;
  }
  return "it generates no kernel for these shapes and strides";
}

prism_status open(prism_provider_state** state, const char** version, prism_message* why) {
  libxsmm_init();
  *version = LIBXSMM_VERSION;
  *state = new (std::nothrow) prism_provider_state;
  return *state ? PRISM_OK : (say(why, "no memory"), PRISM_OUT_OF_MEMORY);
}

void query(prism_provider_state*, const prism_provider_device* device, const prism_provider_operation* what,
           prism_provider_support* answer) {
  prism_provider_plan made{};
  std::string text;
  if (!supports(answer, refusal(*device, *what, made, text))) return;
  answer->reproducible = PRISM_REPRODUCIBLE_ALWAYS; // one thread, one order
  answer->most_threads = 1;
  const prism_libxsmm::estimate expected =
      prism_libxsmm::estimated(*what, made.m, made.n, has_wide_vectors());
  answer->efficiency = expected.efficiency, answer->overhead_ns = expected.overhead_ns;
}

prism_status plan(prism_provider_state*, const prism_provider_device* device,
                  const prism_provider_operation* what, prism_provider_plan** out, prism_message* why) {
  prism_provider_plan made{};
  std::string text;
  if (const char* const reason = refusal(*device, *what, made, text))
    return say(why, reason), PRISM_UNSUPPORTED;
  *out = new (std::nothrow) prism_provider_plan(made);
  return *out ? PRISM_OK : (say(why, "no memory"), PRISM_OUT_OF_MEMORY);
}

template <typename T>
void call(const libxsmm_xmmfunction& f, const T* a, const T* b, T* c) {
  if constexpr (sizeof(T) == 4) f.smm(a, b, c);
  else f.dmm(a, b, c);
}

template <typename T>
void multiply(const prism_provider_plan& p, const T* a, const T* b, T* c, T alpha, T beta) {
  if (alpha == 1 && beta == 0) return call(p.overwrite, a, b, c);
  if (alpha == 1 && beta == 1) return call(p.add, a, b, c);
  static thread_local std::vector<T> product(std::size_t(most * most));
  call(p.apart, a, b, product.data());
  for (int j = 0; j < p.n; ++j)
    for (int i = 0; i < p.m; ++i) {
      T& to = c[std::int64_t(j) * p.ldc + i];
      const T value = alpha * product[std::size_t(j * p.m + i)];
      to = beta == 0 ? value : value + beta * to;
    }
}

template <typename T>
void run_all(const prism_provider_plan& p, const prism_provider_run& run) {
  const auto first = [&](int i) {
    return reinterpret_cast<T*>(static_cast<char*>(run.memory[i].pointer) + run.memory[i].offset);
  };
  const auto step = [&](int i) { return p.what.operand[i].rank > 2 ? p.what.operand[i].stride[2] : 0; };
  const T *a = first(p.left), *b = first(p.right);
  T* c = first(2);
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    multiply(p, a, b, c, T(run.alpha[0]), T(run.beta[0]));
    a += step(p.left), b += step(p.right), c += step(2);
  }
}

prism_status run(const prism_provider_plan* plan, const prism_provider_run* run, prism_message* why) {
  if (run->struct_size < offsetof(prism_provider_run, workspace) || run->native != PRISM_NATIVE_HOST)
    return say(why, "the plan is for the host"), PRISM_INVALID;
  if (run->threads < 1) return say(why, "no thread is granted"), PRISM_INVALID;
  for (int i = 0; i < 3 && plan->batch != 0; ++i)
    if (!run->memory || !run->memory[i].pointer)
      return say(why, "an operand is not a host pointer"), PRISM_INVALID;
  if (plan->batch == 0) return PRISM_OK;
  plan->what.operand[0].type == PRISM_F32 ? run_all<float>(*plan, *run) : run_all<double>(*plan, *run);
  return PRISM_OK;
}

void drop(prism_provider_plan* plan) { delete plan; } // the library keeps kernels in its own table
void close(prism_provider_state* state) { delete state; }

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static const prism_provider table{sizeof(prism_provider),
                                    PRISM_PROVIDER_ABI,
                                    1u << PRISM_NATIVE_HOST,
                                    "libxsmm",
                                    "1",
                                    "LIBXSMM",
                                    open,
                                    query,
                                    plan,
                                    run,
                                    drop,
                                    close};
  return &table;
}
