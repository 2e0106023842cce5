// Matrix products of float, of bfloat16 and of int8 by oneDNN's matmul, alone and in batches.
//
// oneDNN's matrices have adjacent columns, so a result with adjacent rows is computed as the transposed
// product. It adds products of bfloat16 in float and of int8 in int32. A run scales sums itself, in memory of
// its own, where they are integers, which oneDNN would scale through float, and where alpha is not 1. Refused
// are products for which this processor has no fast code, which oneDNN would compute element by element, and
// those of int8 on processors without VNNI.
#include "providers/onednn/plan.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

namespace prism_onednn {
namespace {

using dnnl::memory;

/// Products of int8 that an int32 holds: 131,071 times 128 x 128.
constexpr std::int64_t most_integer_steps = (std::int64_t(1) << 31) / (128 * 128) - 1;

memory::data_type type_of(std::int32_t type) {
  switch (type) {
    case PRISM_BF16: return memory::data_type::bf16;
    case PRISM_S8: return memory::data_type::s8;
    case PRISM_S32: return memory::data_type::s32;
    default: return memory::data_type::f32;
  }
}

/// A batch of matrices with batch, rows and columns in this order.
struct matrices {
  std::int32_t type;
  memory::dims extents, strides;

  memory::desc described() const { return {extents, type_of(type), strides}; }
  memory::desc described_as(std::int32_t other) const { return {extents, type_of(other), strides}; }
};
/// The operand, transposed on request. Dimensions of extent 1 get a stride that fits the others. A matrix
/// for the whole batch is a batch of one.
matrices read(const prism_provider_operand& a, bool transposed) {
  const int row = transposed ? 1 : 0, column = 1 - row;
  matrices out{a.type,
               {a.rank == 3 ? a.extent[2] : 1, a.extent[row], a.extent[column]},
               {a.rank == 3 ? a.stride[2] : 0, a.stride[row], a.stride[column]}};
  if (out.strides[0] == 0) out.extents[0] = 1;
  if (out.extents[1] == 1 && out.extents[2] == 1) out.strides[1] = out.strides[2] = 1;
  else if (out.extents[2] == 1) out.strides[2] = out.strides[1] == 1 ? out.extents[1] : 1;
  else if (out.extents[1] == 1) out.strides[1] = out.strides[2] == 1 ? out.extents[2] : 1;
  if (out.extents[0] == 1)
    out.strides[0] = std::max(out.strides[1] * out.extents[1], out.strides[2] * out.extents[2]);
  return out;
}
/// Whether one of two dimensions is contiguous and the other one reaches beyond it, as in the BLAS.
bool has_lines(const matrices& a) {
  const auto fits = [&](std::size_t inner, std::size_t outer) {
    return a.strides[inner] == 1 && a.strides[outer] >= a.extents[inner];
  };
  return fits(2, 1) || fits(1, 2);
}

/// The product as oneDNN computes it.
struct shapes {
  bool swapped; // the transposed product
  matrices left, right, result;

  explicit shapes(const prism_provider_operation& what)
      : swapped(what.operand[2].stride[1] != 1 && what.operand[2].extent[1] > 1),
        left(read(what.operand[swapped ? 1 : 0], swapped)),
        right(read(what.operand[swapped ? 0 : 1], swapped)), result(read(what.operand[2], swapped)) {}
};

using descriptor = dnnl::matmul::primitive_desc;
/// The product, plus beta times what the result has. `to`: the result. Factors of the product would be
/// another step after it, for which oneDNN has only its reference code.
descriptor describe(const dnnl::engine& engine, const shapes& s, const memory::desc& to, float beta) {
  dnnl::post_ops then;
  if (beta != 0) then.append_sum(beta);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user); // concurrent runs have one each
  attributes.set_post_ops(then);
#if DNNL_VERSION_MAJOR >= 3
  return descriptor(engine, s.left.described(), s.right.described(), to, attributes);
#else
  return descriptor({s.left.described(), s.right.described(), to}, attributes, engine);
#endif
}
/// Whether it computes element by element.
bool is_reference(const descriptor& made) { return std::strncmp(made.impl_info_str(), "ref", 3) == 0; }

/// bfloat16 by its bits; rounds to the nearest, to even in the middle.
struct bfloat16 {
  std::uint16_t bits;
  explicit operator float() const {
    const std::uint32_t wide = std::uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
  static bfloat16 of(float value) {
    std::uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    if (value != value) return {0x7fc0};
    return {std::uint16_t((wide + 0x7fff + (wide >> 16 & 1)) >> 16)};
  }
};
void store(float& to, float value) { to = value; }
void store(bfloat16& to, float value) { to = bfloat16::of(value); }

/// C = alpha sums + beta C; of int32 modulo 2^32. `sums`: without gaps; null: zeros.
template <typename T, typename Sum>
void add_sums(const matrices& c, const Sum* sums, T* to, double alpha, double beta) {
  const std::int64_t rows = c.extents[0] * c.extents[1], columns = c.extents[2];
#pragma omp parallel for
  for (std::int64_t line = 0; line < rows; ++line) {
    T* const row = to + line / c.extents[1] * c.strides[0] + line % c.extents[1] * c.strides[1];
    for (std::int64_t j = 0; j < columns; ++j) {
      const Sum sum = sums ? sums[line * columns + j] : Sum(0);
      if constexpr (std::is_integral_v<T>) {
        std::uint32_t value = std::uint32_t(std::int64_t(alpha)) * std::uint32_t(sum);
        if (beta != 0) value += std::uint32_t(std::int64_t(beta)) * std::uint32_t(row[j]);
        row[j] = T(value);
      } else {
        const float value = sums ? float(alpha) * float(sum) : 0;
        store(row[j], beta == 0 ? value : value + float(beta) * float(row[j]));
      }
    }
  }
}

class product final : public prism_provider_plan {
public:
  product(const prism_provider_state& state, const prism_provider_operation& what, unsigned threads)
      : m_engine(state.engine), m_shapes(what), m_is_integer(what.operand[0].type == PRISM_S8),
        m_sums{m_is_integer ? PRISM_S32 : PRISM_F32, m_shapes.result.extents, {}} {
    m_sums.strides = {m_sums.extents[1] * m_sums.extents[2], m_sums.extents[2], 1};
    primitive_for(threads, 0, m_is_integer ? m_sums : m_shapes.result);
  }
  void run(const prism_provider_run& run, char* const* first) const override {
    const thread_limit limit(run.threads);
    char* const left = first[m_shapes.swapped ? 1 : 0];
    char* const right = first[m_shapes.swapped ? 0 : 1];
    char* const to = first[2];
    const matrices& result = m_shapes.result;
    if (m_is_integer) {
      if (result.type == PRISM_S32)
        return by_sums<std::int32_t>(run, left, right, reinterpret_cast<std::int32_t*>(to));
      return by_sums<std::int32_t>(run, left, right, reinterpret_cast<float*>(to));
    }
    if (run.alpha[0] == 1) {
      const auto with = primitive_for(run.threads, float(run.beta[0]), result);
      if (!with->is_reference) return multiply(*with, left, right, result, to);
    }
    if (result.type == PRISM_BF16) by_sums<float>(run, left, right, reinterpret_cast<bfloat16*>(to));
    else by_sums<float>(run, left, right, reinterpret_cast<float*>(to));
  }

private:
  struct primitive {
    dnnl::matmul run;
    memory::desc scratchpad;
    bool is_reference;
  };

  /// In memory of its own first. With alpha = 0 A and B are not read.
  template <typename Sum, typename T>
  void by_sums(const prism_provider_run& run, char* left, char* right, T* to) const {
    const std::int64_t elements = m_sums.extents[0] * m_sums.strides[0];
    std::vector<Sum> sums(run.alpha[0] != 0 ? static_cast<std::size_t>(elements) : 0);
    if (!sums.empty())
      multiply(*primitive_for(run.threads, 0, m_sums), left, right, m_sums,
               reinterpret_cast<char*>(sums.data()));
    add_sums(m_shapes.result, sums.empty() ? nullptr : sums.data(), to, run.alpha[0], run.beta[0]);
  }
  void multiply(const primitive& with, char* left, char* right, const matrices& result, char* to) const {
    dnnl::stream stream(m_engine);
    const memory scratchpad(with.scratchpad, m_engine);
    with.run.execute(stream, {{DNNL_ARG_SRC, memory(m_shapes.left.described(), m_engine, left)},
                              {DNNL_ARG_WEIGHTS, memory(m_shapes.right.described(), m_engine, right)},
                              {DNNL_ARG_DST, memory(result.described(), m_engine, to)},
                              {DNNL_ARG_SCRATCHPAD, scratchpad}});
    stream.wait();
  }
  /// Of the plan's result or sums. oneDNN divides the work, and fixes beta, when it makes one.
  std::shared_ptr<const primitive> primitive_for(unsigned threads, float beta, const matrices& to) const {
    const std::lock_guard lock(m_mutex);
    constexpr std::size_t most = 16; // a program may use any factors
    const std::tuple key(threads, beta, &to == &m_sums);
    if (const auto found = m_known.find(key); found != m_known.end()) return found->second;
    if (m_known.size() >= most) m_known.clear();
    const thread_limit limit(threads);
    const descriptor made = describe(m_engine, m_shapes, to.described(), beta);
    auto out = std::make_shared<primitive>(
        primitive{dnnl::matmul(made), made.scratchpad_desc(), is_reference(made)});
    return m_known.emplace(key, std::move(out)).first->second;
  }

  dnnl::engine m_engine;
  shapes m_shapes;
  bool m_is_integer;
  matrices m_sums;
  mutable std::mutex m_mutex;
  mutable std::map<std::tuple<unsigned, float, bool>, std::shared_ptr<const primitive>> m_known;
};

/// Whether products of int8 are added without loss. Without VNNI instructions oneDNN adds pairs of them in 16
/// bits, and a sum that does not fit becomes the nearest number that does.
bool adds_integers_exactly() {
  const auto has = [isa = unsigned(dnnl::get_effective_cpu_isa())](dnnl::cpu_isa of) {
    return (isa & unsigned(of)) == unsigned(of); // each has the bits of those that it includes
  };
  return has(dnnl::cpu_isa::avx512_core_vnni) || has(dnnl::cpu_isa::avx2_vnni);
}

const char* wrong_types(const prism_provider_operation& what) {
  const std::int32_t in = what.operand[0].type, out = what.operand[2].type;
  if (what.operand[1].type != in) return "operands of different types";
  const bool is_integer = in == PRISM_S8;
  if (in != PRISM_F32 && in != PRISM_BF16 && !is_integer) return "gemm of float, bfloat16 and int8";
  if (out != PRISM_F32 && out != (is_integer ? std::int32_t(PRISM_S32) : in)) return "no such result type";
  const std::int32_t sums = is_integer ? PRISM_S32 : PRISM_F32;
  if (what.compute != 0 && what.compute != sums && what.compute != out)
    return "products are added in float, of int8 in int32";
  if (!is_integer && what.reproducible == PRISM_REPRODUCIBLE_ALWAYS)
    return "its sums depend on the number of threads";
  if (is_integer && !adds_integers_exactly()) return "without VNNI its sums of int8 are not exact";
  if (is_integer && what.operand[0].extent[1] > most_integer_steps) return "sums that an int32 cannot hold";
  return nullptr;
}

} // namespace

std::string product_refusal(const prism_provider_state& state, const prism_provider_operation& what) {
  if (const char* const wrong = wrong_types(what)) return wrong;
  for (int i = 0; i < 3; ++i) {
    const prism_provider_operand& a = what.operand[i];
    if (a.storage != PRISM_STORED_FULL) return "banded and packed matrices";
    for (int d = 0; d < a.rank; ++d) {
      if (a.extent[d] < 1) return "operands without elements";
      if (a.extent[d] > 1 && a.stride[d] < (d == 2 && i < 2 ? 0 : 1)) return "strides that are not positive";
    }
  }
  const shapes s(what);
  for (const matrices* each : {&s.left, &s.right, &s.result})
    if (!has_lines(*each)) return "neither rows nor columns of a matrix are contiguous";
  if (s.result.strides[2] != 1) return "neither rows nor columns of the result are contiguous";
  try {
    const bool is_integer = what.operand[0].type == PRISM_S8;
    const descriptor made =
        describe(state.engine, s, is_integer ? s.result.described_as(PRISM_S32) : s.result.described(), 0);
    if (is_reference(made))
      return "this processor has no fast code for it (" + std::string(made.impl_info_str()) + ")";
  } catch (const dnnl::error& failure) {
    return "oneDNN does not have it on this processor: " + std::string(failure.what());
  }
  return {};
}

std::unique_ptr<prism_provider_plan> product_plan(const prism_provider_state& state,
                                                  const prism_provider_operation& what, unsigned threads) {
  return std::make_unique<product>(state, what, threads);
}

} // namespace prism_onednn
