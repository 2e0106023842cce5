// FFTW on the host (Frigo & Johnson 2005, "The Design and Implementation of FFTW3"): transforms of float and
// double, 1 to 3 dimensions, any strides, batches. FFTW is licensed under the GPL: PRISM builds this module
// only where PRISM_FFTW=ON asks for it, and nothing links it.
//
// A plan holds up to eight of FFTW's: in place or not, aligned or not, one thread or all. The first is made
// with the plan, the others at the first run that needs them. Up to 2^18 points FFTW measures, beyond that it
// estimates, since measuring takes seconds there. Where the request demands reproducible results it
// estimates, with one thread, for any alignment, so that the bits depend on the operands alone.
#include "kernels/provider/operation.hpp"
#include "providers/answers.hpp"

#include <fftw3.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

struct prism_provider_state {};

struct prism_provider_plan {
  prism_provider_operation what{};
  unsigned threads = 1;
  mutable std::mutex mutex;
  mutable std::array<std::atomic<void*>, 8> made{};
};

namespace {

using operand = prism_provider_operand;
using prism_providers::say, prism_providers::supports;

struct single {
  using real = float;
  using plan = fftwf_plan;
  using complex = fftwf_complex;
  using dim = fftwf_iodim64;
  static constexpr auto complexes = fftwf_plan_guru64_dft;
  static constexpr auto from_reals = fftwf_plan_guru64_dft_r2c;
  static constexpr auto to_reals = fftwf_plan_guru64_dft_c2r;
  static constexpr auto run_complexes = fftwf_execute_dft;
  static constexpr auto run_from_reals = fftwf_execute_dft_r2c;
  static constexpr auto run_to_reals = fftwf_execute_dft_c2r;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto allocate = fftwf_malloc;
  static constexpr auto release = fftwf_free;
  static constexpr auto alignment = fftwf_alignment_of;
  static constexpr auto use_threads = fftwf_plan_with_nthreads;
};
struct twofold {
  using real = double;
  using plan = fftw_plan;
  using complex = fftw_complex;
  using dim = fftw_iodim64;
  static constexpr auto complexes = fftw_plan_guru64_dft;
  static constexpr auto from_reals = fftw_plan_guru64_dft_r2c;
  static constexpr auto to_reals = fftw_plan_guru64_dft_c2r;
  static constexpr auto run_complexes = fftw_execute_dft;
  static constexpr auto run_from_reals = fftw_execute_dft_r2c;
  static constexpr auto run_to_reals = fftw_execute_dft_c2r;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto allocate = fftw_malloc;
  static constexpr auto release = fftw_free;
  static constexpr auto alignment = fftw_alignment_of;
  static constexpr auto use_threads = fftw_plan_with_nthreads;
};

enum : unsigned { in_place = 1, aligned = 2, threaded = 4 };
constexpr std::int64_t most_measured = std::int64_t(1) << 18;

bool is_complex(const operand& a) { return (a.type & 0xff) == (PRISM_C32 & 0xff); }
bool is_double(const operand& a) { return (a.type & 0xff00) == (PRISM_F64 & 0xff00); }

std::int64_t points_of(const operand& a) {
  std::int64_t out = 1;
  for (int d = 0; d < a.rank; ++d) out *= a.extent[d];
  return out;
}

/// Elements before the first, and from it to the last.
struct reach {
  std::int64_t below = 0, above = 1;
  explicit reach(const operand& a) {
    for (int d = 0; d < a.rank; ++d) {
      const std::int64_t far = (a.extent[d] - 1) * a.stride[d];
      (far < 0 ? below : above) += far < 0 ? -far : far;
    }
  }
};

bool may_be_in_place(const prism_provider_operation& what) {
  const operand &in = what.operand[0], &out = what.operand[1];
  const std::int64_t from = is_complex(in) ? 2 : 1, to = is_complex(out) ? 2 : 1;
  for (int d = 0; d < in.rank; ++d) {
    const bool last = d == in.rank - 2;
    if (last && from != to) {
      if ((in.extent[d] > 1 && in.stride[d] != 1) || (out.extent[d] > 1 && out.stride[d] != 1)) return false;
    } else if (in.extent[d] > 1 && in.stride[d] * from != out.stride[d] * to) return false;
  }
  return true;
}

/// FFTW transforms complex to real numbers of several dimensions only by overwriting them.
bool overwrites(const prism_provider_operation& what) {
  return is_complex(what.operand[0]) && !is_complex(what.operand[1]) && what.operand[0].rank > 2;
}

template <typename Real>
auto scratch(const operand& a) {
  using real = typename Real::real;
  const reach of(a);
  constexpr std::int64_t unit = 16; // elements: more than any alignment that FFTW knows
  const std::int64_t parts = is_complex(a) ? 2 : 1, below = (of.below + unit - 1) / unit * unit;
  struct memory {
    std::unique_ptr<real, void (*)(void*)> all{nullptr, Real::release};
    real* first = nullptr;
  } out;
  out.all.reset(static_cast<real*>(Real::allocate(std::size_t((below + of.above) * parts) * sizeof(real))));
  if (out.all) {
    std::memset(out.all.get(), 0, std::size_t((below + of.above) * parts) * sizeof(real));
    out.first = out.all.get() + below * parts;
  }
  return out;
}

template <typename Real>
typename Real::plan make(const prism_provider_plan& p, unsigned variant) {
  const prism_provider_operation& what = p.what;
  const operand &in = what.operand[0], &out = what.operand[1];
  const bool same = (variant & in_place) != 0, strict = what.reproducible != PRISM_REPRODUCIBLE_NO;
  const auto from = scratch<Real>(in), to = scratch<Real>(out);
  if (!from.first || !to.first) return nullptr;
  // In place both sides have the same bytes; the larger memory holds either.
  const reach of_in(in), of_out(out);
  const bool in_is_larger = (of_in.above + of_in.below) * (is_complex(in) ? 2 : 1) >=
                            (of_out.above + of_out.below) * (is_complex(out) ? 2 : 1);
  auto* const x = same && !in_is_larger ? to.first : from.first;
  auto* const y = same ? x : to.first;
  const int rank = in.rank - 1;
  typename Real::dim dims[3], batch{in.extent[rank], in.stride[rank], out.stride[rank]};
  for (int d = 0; d < rank; ++d)
    dims[d] = {is_complex(in) ? out.extent[d] : in.extent[d], in.stride[d], out.stride[d]};
  const bool measures = !strict && std::max(points_of(in), points_of(out)) <= most_measured;
  unsigned flags = measures ? FFTW_MEASURE : FFTW_ESTIMATE;
  if ((variant & aligned) == 0) flags |= FFTW_UNALIGNED;
  if (!same && !overwrites(what)) flags |= FFTW_PRESERVE_INPUT;
  using complex = typename Real::complex;
  static std::mutex planning; // FFTW's number of threads is one for the process
  const std::lock_guard lock(planning);
  Real::use_threads((variant & threaded) != 0 ? int(p.threads) : 1);
  typename Real::plan made;
  if (is_complex(in) && is_complex(out))
    made =
        Real::complexes(rank, dims, 1, &batch, reinterpret_cast<complex*>(x), reinterpret_cast<complex*>(y),
                        what.operation == PRISM_FFT ? FFTW_FORWARD : FFTW_BACKWARD, flags);
  else if (is_complex(out))
    made = Real::from_reals(rank, dims, 1, &batch, x, reinterpret_cast<complex*>(y), flags);
  else made = Real::to_reals(rank, dims, 1, &batch, reinterpret_cast<complex*>(x), y, flags);
  Real::use_threads(1);
  return made;
}

template <typename Real>
typename Real::plan variant_of(const prism_provider_plan& p, unsigned variant) {
  auto& slot = p.made[variant];
  if (void* const ready = slot.load(std::memory_order_acquire))
    return static_cast<typename Real::plan>(ready);
  const std::lock_guard lock(p.mutex);
  if (void* const ready = slot.load(std::memory_order_acquire))
    return static_cast<typename Real::plan>(ready);
  const auto made = make<Real>(p, variant);
  slot.store(made, std::memory_order_release);
  return made;
}

template <typename Real>
void multiply(typename Real::real* first, const operand& a, int dimension, typename Real::real by) {
  const std::int64_t parts = is_complex(a) ? 2 : 1;
  if (dimension == a.rank) {
    for (std::int64_t i = 0; i < parts; ++i) first[i] *= by;
    return;
  }
  if (dimension == a.rank - 1 && a.stride[dimension] == 1) {
    for (std::int64_t i = 0; i < parts * a.extent[dimension]; ++i) first[i] *= by;
    return;
  }
  for (std::int64_t i = 0; i < a.extent[dimension]; ++i)
    multiply<Real>(first + i * a.stride[dimension] * parts, a, dimension + 1, by);
}

template <typename Real>
prism_status run_typed(const prism_provider_plan& p, void* from, void* to, const prism_provider_run& run,
                       prism_message* why) {
  using real = typename Real::real;
  using complex = typename Real::complex;
  const operand &in = p.what.operand[0], &out = p.what.operand[1];
  auto *x = static_cast<real*>(from), *const y = static_cast<real*>(to);
  const bool same = from == to, strict = p.what.reproducible != PRISM_REPRODUCIBLE_NO;
  decltype(scratch<Real>(in)) copy;
  if (!same && overwrites(p.what)) {
    copy = scratch<Real>(in);
    if (!copy.first)
      return say(why, "no memory for a copy of the operand that FFTW overwrites"), PRISM_OUT_OF_MEMORY;
    const reach of(in);
    std::memcpy(copy.first - of.below * 2, x - of.below * 2,
                std::size_t(of.below + of.above) * 2 * sizeof(real));
    x = copy.first;
  }
  unsigned variant = same ? unsigned(in_place) : 0u;
  if (!strict && Real::alignment(x) == 0 && Real::alignment(y) == 0) variant |= aligned;
  if (!strict && p.threads > 1 && run.threads >= p.threads) variant |= threaded;
  const auto ready = variant_of<Real>(p, variant);
  if (!ready) return say(why, "FFTW made no plan"), PRISM_FAILED;
  if (is_complex(in) && is_complex(out))
    Real::run_complexes(ready, reinterpret_cast<complex*>(x), reinterpret_cast<complex*>(y));
  else if (is_complex(out)) Real::run_from_reals(ready, x, reinterpret_cast<complex*>(y));
  else Real::run_to_reals(ready, reinterpret_cast<complex*>(x), y);
  if (run.alpha[0] == 1) return PRISM_OK;
  // The dimension of neighbours last.
  operand ordered = out;
  for (int d = 0; d + 1 < ordered.rank; ++d)
    if (ordered.stride[d] == 1) {
      std::swap(ordered.stride[d], ordered.stride[ordered.rank - 1]);
      std::swap(ordered.extent[d], ordered.extent[ordered.rank - 1]);
    }
  multiply<Real>(y, ordered, 0, real(run.alpha[0]));
  return PRISM_OK;
}

const char* refusal(const prism_provider_device& device, const prism_provider_operation& what,
                    std::string& text) {
  if (device.native != PRISM_NATIVE_HOST) return "it supports only the host";
  text = prism::provider::contradiction_in(what);
  if (!text.empty()) return text.c_str();
  if (what.operation != PRISM_FFT && what.operation != PRISM_IFFT) return "it supports only fft and ifft";
  const operand& in = what.operand[0];
  if (!is_double(in) && (in.type & 0xff00) != (PRISM_F32 & 0xff00)) return "float and double";
  if (what.compute != 0 && (what.compute & 0xff00) != (in.type & 0xff00))
    return "it computes in the operands' own type only";
  return nullptr;
}

prism_status open(prism_provider_state** state, const char** version, prism_message* why) {
  static std::once_flag once;
  static bool usable = false;
  std::call_once(once, [] {
    usable = fftwf_init_threads() != 0 && fftw_init_threads() != 0;
    if (usable) fftwf_make_planner_thread_safe(), fftw_make_planner_thread_safe();
  });
  if (!usable) return say(why, "FFTW's threads cannot be used"), PRISM_UNAVAILABLE;
  *state = new (std::nothrow) prism_provider_state;
  *version = fftw_version;
  return *state ? PRISM_OK : (say(why, "no memory"), PRISM_OUT_OF_MEMORY);
}

/// Threads that are made and joined for a run pay off from here on.
unsigned threads_for(const prism_provider_device& device, const prism_provider_operation& what) {
  constexpr std::int64_t least = std::int64_t(1) << 16;
  return points_of(what.operand[0]) >= least ? std::max(1u, device.threads) : 1;
}

void query(prism_provider_state*, const prism_provider_device* device, const prism_provider_operation* what,
           prism_provider_support* answer) {
  std::string text;
  if (!supports(answer, refusal(*device, *what, text))) return;
  answer->reproducible = what->reproducible;
  answer->most_threads = what->reproducible == PRISM_REPRODUCIBLE_NO ? threads_for(*device, *what) : 1;
  answer->efficiency = 0.09;
  answer->overhead_ns = 500;
}

prism_status plan(prism_provider_state*, const prism_provider_device* device,
                  const prism_provider_operation* what, prism_provider_plan** out, prism_message* why) try {
  std::string text;
  if (const char* const reason = refusal(*device, *what, text)) return say(why, reason), PRISM_UNSUPPORTED;
  auto made = std::make_unique<prism_provider_plan>();
  made->what = *what;
  const bool strict = what->reproducible != PRISM_REPRODUCIBLE_NO;
  if (!strict) made->threads = threads_for(*device, *what);
  const unsigned first = strict ? 0 : aligned | (made->threads > 1 ? unsigned(threaded) : 0u);
  if (points_of(what->operand[0]) != 0 && points_of(what->operand[1]) != 0 &&
      !(is_double(what->operand[0]) ? variant_of<twofold>(*made, first) != nullptr
                                    : variant_of<single>(*made, first) != nullptr))
    return say(why, "FFTW made no plan: its memory is short"), PRISM_OUT_OF_MEMORY;
  *out = made.release();
  return PRISM_OK;
} catch (const std::exception& error) {
  return say(why, error.what()), PRISM_OUT_OF_MEMORY;
}

prism_status run(const prism_provider_plan* plan, const prism_provider_run* run, prism_message* why) {
  if (run->struct_size < sizeof *run || run->native != PRISM_NATIVE_HOST)
    return say(why, "the plan is for the host"), PRISM_INVALID;
  if (run->threads == 0 || !run->memory) return say(why, "there is no thread, or no operands"), PRISM_INVALID;
  const operand* const o = plan->what.operand;
  if (points_of(o[0]) == 0 || points_of(o[1]) == 0) return PRISM_OK;
  void* first[2];
  for (int i = 0; i < 2; ++i) {
    if (!run->memory[i].pointer) return say(why, "an operand has no pointer"), PRISM_INVALID;
    first[i] = static_cast<std::byte*>(run->memory[i].pointer) + run->memory[i].offset;
  }
  if (first[0] == first[1] && !may_be_in_place(plan->what))
    return say(why, "both operands begin at the same element with other strides"), PRISM_INVALID;
  return is_double(o[0]) ? run_typed<twofold>(*plan, first[0], first[1], *run, why)
                         : run_typed<single>(*plan, first[0], first[1], *run, why);
}

void drop(prism_provider_plan* plan) {
  for (auto& each : plan->made)
    if (void* const ready = each.load()) {
      if (is_double(plan->what.operand[0])) fftw_destroy_plan(static_cast<fftw_plan>(ready));
      else fftwf_destroy_plan(static_cast<fftwf_plan>(ready));
    }
  delete plan;
}
void close(prism_provider_state* state) { delete state; }

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static const prism_provider table{sizeof(prism_provider),
                                    PRISM_PROVIDER_ABI,
                                    1u << PRISM_NATIVE_HOST,
                                    "fftw",
                                    "1",
                                    "FFTW",
                                    open,
                                    query,
                                    plan,
                                    run,
                                    drop,
                                    close};
  return &table;
}
