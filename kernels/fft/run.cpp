// The way of a call of <prism/fft.hpp>: checks, the plan, its steps as commands.
#include "kernels/blas/aliases.hpp"
#include "kernels/blas/choice.hpp"
#include "kernels/fft/kernels.hpp"

#include <prism/fft.hpp>

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>

namespace prism::fft {
namespace detail {

/// A plan's steps with their tables as buffers, which every command keeps alive.
template <typename Real>
struct prepared {
  steps<Real> all;
  place<Real> reals;
  place<std::int32_t> ints;
};

struct state {
  description what;
  sycl::device device;
  bool in_vectors = false;
  std::optional<prism_provider_operation> for_providers;                 // nothing where none can be asked
  std::variant<std::monostate, prepared<float>, prepared<double>> ready; // monostate: nothing to do
};

} // namespace detail

namespace {

using detail::description;
using detail::shape;
using detail::state;

[[noreturn]] void refuse(const std::string& what) { prism::detail::refuse_view("fft: " + what); }

bool has_elements(const shape& s) {
  std::size_t all = s.count;
  for (int d = 0; d < s.rank; ++d) all = s.extent[std::size_t(d)] == 0 ? 0 : all;
  return all != 0;
}

std::string text_of(const shape& s) {
  std::string out;
  for (int d = 0; d < s.rank; ++d) out += (d ? " x " : "") + std::to_string(s.extent[std::size_t(d)]);
  return out + (s.count == 1 ? "" : ", " + std::to_string(s.count) + " times");
}

/// Whether a transform in place reads each line where it writes it.
bool may_be_in_place(const description& what) {
  const shape &a = what.in, &b = what.out;
  const int last = a.rank - 1;
  const std::ptrdiff_t from = a.parts, to = b.parts;
  for (int d = 0; d < a.rank; ++d) {
    const auto i = std::size_t(d);
    if (d == last && from != to) {
      if ((a.extent[i] > 1 && a.stride[i] != 1) || (b.extent[i] > 1 && b.stride[i] != 1)) return false;
    } else if (a.extent[i] > 1 && a.stride[i] * from != b.stride[i] * to) return false;
  }
  return a.count < 2 || a.between * from == b.between * to;
}

double scale_of(const description& what) {
  if (what.normalisation == 0) return what.scale;
  const shape& real = what.in.parts == 2 && what.out.parts == 1 ? what.out : what.in;
  double points = 1;
  for (int d = 0; d < real.rank; ++d) {
    const double n = double(real.extent[std::size_t(d)]);
    points *= what.cosine == 0 ? n : what.cosine == 1 ? 2 * (n - 1) : 2 * n;
  }
  return what.scale / (what.normalisation == 1 ? points : std::sqrt(points));
}

problem problem_of(const description& what) {
  problem out;
  const shape &in = what.in, &to = what.out;
  using k = transform_kind;
  if (what.cosine != 0) out.kind = k(int(k::cosine_1) + what.cosine - 1);
  else out.kind = in.parts == to.parts ? k::complex : in.parts == 1 ? k::real_forward : k::real_backward;
  out.backward = what.backward;
  out.rank = in.rank;
  for (std::size_t d = 0; d < 3; ++d) {
    out.extent[d] = out.kind == k::real_backward ? to.extent[d] : in.extent[d];
    out.in_stride[d] = in.stride[d], out.out_stride[d] = to.stride[d];
  }
  out.batch = in.count, out.in_batch = in.between, out.out_batch = to.between;
  out.scale = scale_of(what);
  return out;
}

template <typename Number>
place<Number> table_in_memory(const std::vector<Number>& numbers) {
  sycl::buffer<Number> memory{sycl::range<1>(std::max<std::size_t>(1, numbers.size()))};
  if (!numbers.empty()) {
    const sycl::host_accessor to(memory, sycl::write_only, sycl::no_init);
    std::copy(numbers.begin(), numbers.end(), to.begin());
  }
  return place<Number>(memory);
}

template <typename Real>
detail::prepared<Real> prepared_steps(const description& what, const machine& on) {
  detail::prepared<Real> out;
  out.all = make_steps<Real>(problem_of(what), on, what.bits == 16);
  out.reals = table_in_memory(out.all.numbers.reals), out.ints = table_in_memory(out.all.numbers.ints);
  return out;
}

prism_provider_operand operand_of(const shape& s, int bits) {
  prism_provider_operand out{};
  const bool is_double = bits == 64;
  out.type = s.parts == 2 ? (is_double ? PRISM_C64 : PRISM_C32) : (is_double ? PRISM_F64 : PRISM_F32);
  out.rank = s.rank + 1;
  for (int d = 0; d < s.rank; ++d)
    out.extent[d] = std::int64_t(s.extent[std::size_t(d)]), out.stride[d] = s.stride[std::size_t(d)];
  out.extent[s.rank] = std::int64_t(s.count), out.stride[s.rank] = s.between;
  return out;
}

/// The transform in the providers' form. They have no cosine transforms and no half.
std::optional<prism_provider_operation> request_of(const description& what) {
  if (what.bits == 16 || what.cosine != 0) return {};
  prism_provider_operation out{};
  out.struct_size = sizeof out, out.operand_size = sizeof(prism_provider_operand);
  out.operation = what.backward ? PRISM_IFFT : PRISM_FFT, out.operand_count = 2;
  out.operand[0] = operand_of(what.in, what.bits), out.operand[1] = operand_of(what.out, what.bits);
  return out;
}

/// One run of a plan's steps.
template <typename Real>
class execution {
public:
  execution(sycl::queue& queue, const state& plan, const detail::prepared<Real>& steps,
            const detail::memory& in, const detail::memory& out, const events& depends)
      : m_queue(queue), m_plan(plan), m_steps(steps), m_in(in), m_out(out), m_before(depends) {
    for (const std::size_t reals : steps.all.temporaries)
      m_temporaries.emplace_back(sycl::buffer<Real>(sycl::range<1>(reals)));
  }
  sycl::event run() {
    for (const auto& each : m_steps.all.all) {
      const sycl::event done = std::visit([&](const auto& step) { return submit(step); }, each);
      m_before.assign(1, done);
    }
    return m_before.front();
  }

private:
  /// Tables after the operands: their offsets are in the steps.
  bound<Real> bind(int in, int out) const { return {memory(in), memory(out), m_steps.reals, m_steps.ints}; }
  place<Real> memory(int which) const {
    if (which >= 0) return m_temporaries[std::size_t(which)];
    const bool is_input = which == input_memory;
    return place<Real>(is_input ? m_in : m_out, (is_input ? m_plan.what.in : m_plan.what.out).parts);
  }
  place<sycl::half> halves(int which) const {
    const bool is_input = which == input_memory;
    return place<sycl::half>(is_input ? m_in : m_out, (is_input ? m_plan.what.in : m_plan.what.out).parts);
  }
  sycl::event submit(const leaf_step<Real>& step) {
    const bound<Real> with = bind(step.in, step.out);
    return m_plan.in_vectors ? run_in_vectors(m_queue, step.what, with, m_before)
                             : run_in_groups(m_queue, step.what, with, m_before);
  }
  sycl::event submit(const map_step<Real>& step) {
    if constexpr (std::is_same_v<Real, float>) {
      if (step.half_in) return run_from_half(m_queue, step.what, halves(step.in), memory(step.out), m_before);
      if (step.half_out) return run_to_half(m_queue, step.what, memory(step.in), halves(step.out), m_before);
    }
    if (m_plan.in_vectors && maps_in_vectors(step.what))
      return map_in_vectors(m_queue, step.what, bind(step.in, step.out), m_before);
    return run_map(m_queue, step.what, bind(step.in, step.out), m_before);
  }

  sycl::queue& m_queue;
  const state& m_plan;
  const detail::prepared<Real>& m_steps;
  const detail::memory &m_in, &m_out;
  events m_before;
  std::vector<place<Real>> m_temporaries;
};

sycl::event run_own(sycl::queue& queue, const state& plan, const detail::memory& in,
                    const detail::memory& out, const events& depends) {
  if (const auto* steps = std::get_if<detail::prepared<float>>(&plan.ready))
    return execution<float>(queue, plan, *steps, in, out, depends).run();
  return execution<double>(queue, plan, std::get<detail::prepared<double>>(plan.ready), in, out, depends)
      .run();
}

/// Nothing where the library's own kernels do it.
std::optional<sycl::event> run_by_provider(sycl::queue& queue, const std::shared_ptr<const state>& plan,
                                           const detail::memory& in, const detail::memory& out,
                                           const events& depends) {
  if (!plan->for_providers) return {};
  blas::detail::request request(plan->for_providers->operation);
  request.what = *plan->for_providers;
  request.alpha[0] = scale_of(plan->what);
  request.operands[0] = in, request.operands[1] = out;
  return blas::run_by_provider(queue, request, depends,
                               [plan](sycl::queue& on, const blas::detail::request& r, const events& before) {
    return run_own(on, *plan, r.operands[0], r.operands[1], before);
  });
}

/// Plans of calls without one, the last used first.
struct memory_of_plans {
  static constexpr std::size_t most = 256;
  std::mutex mutex;
  std::list<std::shared_ptr<const state>> known;
};
memory_of_plans& all_plans() {
  static auto* const only = new memory_of_plans; // commands may still be submitted at exit
  return *only;
}

bool is_same(const description& a, const description& b) {
  return a.bits == b.bits && a.cosine == b.cosine && a.backward == b.backward &&
         a.normalisation == b.normalisation && a.scale == b.scale && a.in == b.in && a.out == b.out;
}

} // namespace

bool detail::overlaps(const shape& s) {
  if (!has_elements(s)) return false;
  std::vector<std::pair<std::size_t, std::size_t>> dims; // stride, extent
  const auto add = [&](std::size_t n, std::ptrdiff_t stride) {
    if (n > 1) dims.emplace_back(stride < 0 ? std::size_t(0) - std::size_t(stride) : std::size_t(stride), n);
  };
  for (int d = 0; d < s.rank; ++d) add(s.extent[std::size_t(d)], s.stride[std::size_t(d)]);
  add(s.count, s.between);
  std::sort(dims.begin(), dims.end());
  std::size_t reach = 1;
  for (const auto& [stride, n] : dims) {
    if (stride < reach) return true;
    reach += stride * (n - 1);
  }
  return false;
}

void detail::require_type(const sycl::device& device, int bits) {
  const char* lacks = bits == 64 && !device.has(sycl::aspect::fp64)   ? "double precision (aspect fp64)"
                      : bits == 16 && !device.has(sycl::aspect::fp16) ? "half precision (aspect fp16)"
                                                                      : nullptr;
  if (lacks)
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          "fft: " + device.get_info<sycl::info::device::name>() + " has no " + lacks);
}

void detail::require_fit(const description& what) {
  const shape &in = what.in, &out = what.out;
  if (in.rank != out.rank)
    refuse("in has " + std::to_string(in.rank) + " dimensions and out " + std::to_string(out.rank));
  if (in.count != out.count)
    refuse("in is a batch of " + std::to_string(in.count) + " and out one of " + std::to_string(out.count));
  if (in.parts == 1 && out.parts == 2 && what.backward) refuse("a backward transform reads complex numbers");
  if (in.parts == 2 && out.parts == 1 && !what.backward) refuse("a forward transform writes complex numbers");
  for (int d = 0; d < in.rank; ++d) {
    const std::size_t a = in.extent[std::size_t(d)], b = out.extent[std::size_t(d)];
    const bool is_half = d == in.rank - 1 && in.parts != out.parts;
    const std::size_t real = in.parts == 1 ? a : b, halved = in.parts == 1 ? b : a;
    if (is_half ? real / 2 + 1 != halved && !(real == 0 && halved == 0) : a != b)
      refuse("extents disagree: in has " + text_of(in) + " points, out " + text_of(out) +
             (is_half ? "; the complex side needs n / 2 + 1 in its last dimension" : ""));
    constexpr std::size_t most = 2'147'483'647; // kernels count the points of a dimension in 32 bits
    if (std::max(a, b) > most)
      refuse("a dimension of " + std::to_string(std::max(a, b)) + " points; there are transforms of up to " +
             std::to_string(most));
    if (what.cosine == 1 && a == 1) refuse("the cosine transform I of 1 point does not exist");
  }
  if (overlaps(out)) refuse("out's elements overlap each other");
}

std::shared_ptr<const detail::state> detail::prepare(const sycl::queue& queue, const description& what) {
  auto made = std::make_shared<state>();
  made->what = what, made->device = queue.get_device();
  require_type(made->device, what.bits);
  if (!has_elements(what.in) || !has_elements(what.out)) return made;
  machine on;
  if (made->device.get_backend() == sycl::backend::ext_prism_host) on.vector_bytes = vector_bytes();
  on.local_bytes = std::min<std::size_t>(32768, made->device.get_info<sycl::info::device::local_mem_size>());
  made->in_vectors = on.vector_bytes != 0;
  made->for_providers = request_of(what);
  try {
    if (what.bits == 64) made->ready = prepared_steps<double>(what, on);
    else made->ready = prepared_steps<float>(what, on);
  } catch (const std::length_error& e) {
    refuse(text_of(what.in) + ": " + e.what());
  }
  return made;
}

std::shared_ptr<const detail::state> detail::remembered(const sycl::queue& queue, const description& what) {
  memory_of_plans& all = all_plans();
  const sycl::device device = queue.get_device();
  {
    const std::lock_guard lock(all.mutex);
    for (auto each = all.known.begin(); each != all.known.end(); ++each)
      if (is_same((*each)->what, what) && (*each)->device == device) {
        all.known.splice(all.known.begin(), all.known, each);
        return all.known.front();
      }
  }
  std::shared_ptr<const state> made = prepare(queue, what);
  const std::lock_guard lock(all.mutex);
  all.known.push_front(made);
  if (all.known.size() > memory_of_plans::most) all.known.pop_back();
  return made;
}

const detail::description& detail::description_of(const std::shared_ptr<const state>& of) { return of->what; }

std::size_t detail::table_bytes(const std::shared_ptr<const state>& of) {
  return std::visit([](const auto& ready) -> std::size_t {
    if constexpr (std::is_same_v<std::decay_t<decltype(ready)>, std::monostate>) return 0;
    else
      return ready.all.numbers.reals.size() * sizeof(ready.all.numbers.reals[0]) +
             ready.all.numbers.ints.size() * sizeof(std::int32_t);
  }, of->ready);
}
std::size_t detail::temporary_bytes(const std::shared_ptr<const state>& of) {
  return std::visit([](const auto& ready) -> std::size_t {
    std::size_t bytes = 0;
    if constexpr (!std::is_same_v<std::decay_t<decltype(ready)>, std::monostate>)
      for (const std::size_t reals : ready.all.temporaries)
        bytes += reals * sizeof(ready.all.numbers.reals[0]);
    return bytes;
  }, of->ready);
}

sycl::event detail::run(sycl::queue& queue, const std::shared_ptr<const state>& plan, const description& what,
                        const memory& in, const memory& out, const std::vector<sycl::event>& depends) {
  if (!is_same(plan->what, what))
    refuse("the plan is for " + text_of(plan->what.in) + " to " + text_of(plan->what.out) +
           " points with its strides, not for " + text_of(what.in) + " to " + text_of(what.out));
  if (queue.get_device() != plan->device)
    refuse("the plan is for " + plan->device.get_info<sycl::info::device::name>() +
           ", the queue's device is " + queue.get_device().get_info<sycl::info::device::name>());
  if (std::holds_alternative<std::monostate>(plan->ready)) return queue.ext_oneapi_submit_barrier(depends);
  if (blas::coincide(in, out) && !may_be_in_place(what))
    refuse("in and out begin at the same element and their strides differ");
  if (std::optional<sycl::event> done = run_by_provider(queue, plan, in, out, depends)) return *done;
  return run_own(queue, *plan, in, out, depends);
}

} // namespace prism::fft
