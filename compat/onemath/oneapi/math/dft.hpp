// oneMath's discrete Fourier transforms over <prism/fft.hpp>: descriptors of one to three dimensions, real
// and complex, in place and not, strides, distances, scales; over USM pointers and buffers.
//
// A descriptor is set, committed to a queue, and passed to compute_forward and compute_backward. Without
// other values: in place, one transform, scales of 1, rows that follow each other; of real numbers rows of 2
// (n / 2 + 1), so that the result fits in place. A new value after commit asks for another commit.
//
// Errors: invalid_argument for extents and strides that cannot be, unimplemented for a value or a parameter
// that PRISM lacks, by name and at commit (separate real and imaginary parts, external workspace),
// uninitialized before commit, unsupported_device where the device lacks double.
#pragma once

#include <oneapi/math/translate.hpp>
#include <oneapi/math/types.hpp>

#include <prism/fft.hpp>

#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace oneapi::math::dft {

enum class precision { SINGLE, DOUBLE };
enum class domain { REAL, COMPLEX };
enum class config_param {
  FORWARD_DOMAIN,
  DIMENSION,
  LENGTHS,
  PRECISION,
  FORWARD_SCALE,
  BACKWARD_SCALE,
  NUMBER_OF_TRANSFORMS,
  COMPLEX_STORAGE,
  REAL_STORAGE,
  CONJUGATE_EVEN_STORAGE,
  PLACEMENT,
  INPUT_STRIDES,
  OUTPUT_STRIDES,
  FWD_DISTANCE,
  BWD_DISTANCE,
  WORKSPACE,
  WORKSPACE_PLACEMENT,
  WORKSPACE_EXTERNAL_BYTES,
  ORDERING,
  TRANSPOSE,
  PACKED_FORMAT,
  COMMIT_STATUS,
  FWD_STRIDES,
  BWD_STRIDES
};
enum class config_value {
  COMMITTED,
  UNCOMMITTED,
  COMPLEX_COMPLEX,
  REAL_COMPLEX,
  REAL_REAL,
  INPLACE,
  NOT_INPLACE,
  ORDERED,
  BACKWARD_SCRAMBLED,
  ALLOW,
  AVOID,
  NONE,
  CCE_FORMAT,
  WORKSPACE_AUTOMATIC,
  WORKSPACE_EXTERNAL
};

template <precision Precision, domain Domain>
class descriptor {
public:
  using scalar_type = std::conditional_t<Precision == precision::SINGLE, float, double>;
  using backward_type = std::complex<scalar_type>;
  using forward_type = std::conditional_t<Domain == domain::REAL, scalar_type, backward_type>;

  descriptor(std::int64_t length) : descriptor(std::vector<std::int64_t>{length}) {}
  descriptor(std::vector<std::int64_t> lengths) : m_lengths(std::move(lengths)) {
    if (m_lengths.empty() || m_lengths.size() > 3)
      throw unimplemented("dft", "descriptor", "for " + std::to_string(m_lengths.size()) + " dimensions");
    for (const std::int64_t n : m_lengths)
      if (n < 1) throw invalid_argument("dft", "descriptor", "a length of " + std::to_string(n));
    const std::int64_t half = m_lengths.back() / 2 + 1;
    constexpr bool halves = Domain == domain::REAL;
    m_forward = rows(m_lengths.size() > 1 && halves ? 2 * half : m_lengths.back());
    m_backward = rows(halves ? half : m_lengths.back());
  }

  /// A number, a config_value, or for strides and lengths a pointer or a vector.
  template <typename Value>
  void set_value(config_param parameter, const Value& value) {
    m_queue.reset();
    using P = config_param;
    if constexpr (std::is_same_v<Value, config_value>) set_choice(parameter, value);
    else if constexpr (std::is_enum_v<Value>) refuse(parameter, "one that can be set");
    else if constexpr (std::is_arithmetic_v<Value>) {
      switch (parameter) {
        case P::TRANSPOSE: m_is_transposed = value != Value(0); break;
        case P::LENGTHS:
          if (m_lengths.size() != 1) refuse(parameter, "a number");
          m_lengths[0] = positive(static_cast<std::int64_t>(value));
          break;
        case P::FORWARD_SCALE: m_forward_scale = static_cast<scalar_type>(value); break;
        case P::BACKWARD_SCALE: m_backward_scale = static_cast<scalar_type>(value); break;
        case P::NUMBER_OF_TRANSFORMS: m_count = positive(static_cast<std::int64_t>(value)); break;
        case P::FWD_DISTANCE: m_forward_distance = static_cast<std::int64_t>(value); break;
        case P::BWD_DISTANCE: m_backward_distance = static_cast<std::int64_t>(value); break;
        default: refuse(parameter, "a number");
      }
    } else {
      const std::int64_t* const from = first(value, parameter);
      if (from == nullptr) throw invalid_argument("dft", "set_value", "a null pointer");
      const std::vector<std::int64_t> all(from, from + m_lengths.size() + (parameter == P::LENGTHS ? 0 : 1));
      switch (parameter) {
        case P::FWD_STRIDES: m_forward = all, m_input.clear(), m_output.clear(); break;
        case P::BWD_STRIDES: m_backward = all, m_input.clear(), m_output.clear(); break;
        case P::INPUT_STRIDES: m_input = all; break;
        case P::OUTPUT_STRIDES: m_output = all; break;
        case P::LENGTHS:
          for (const std::int64_t n : all) positive(n);
          m_lengths = all;
          break;
        default: refuse(parameter, "a list");
      }
    }
  }

  template <typename Value>
  void get_value(config_param parameter, Value* to) const {
    using P = config_param;
    if constexpr (std::is_same_v<Value, config_value>) {
      switch (parameter) {
        case P::PLACEMENT: *to = m_placement; break;
        case P::COMPLEX_STORAGE: *to = m_storage; break;
        case P::CONJUGATE_EVEN_STORAGE: *to = config_value::COMPLEX_COMPLEX; break;
        case P::REAL_STORAGE: *to = config_value::REAL_REAL; break;
        case P::ORDERING: *to = m_ordering; break;
        case P::PACKED_FORMAT: *to = config_value::CCE_FORMAT; break;
        case P::WORKSPACE: *to = config_value::ALLOW; break;
        case P::WORKSPACE_PLACEMENT: *to = m_workspace; break;
        case P::COMMIT_STATUS: *to = m_queue ? config_value::COMMITTED : config_value::UNCOMMITTED; break;
        default: refuse(parameter, "a config_value");
      }
    } else if constexpr (std::is_same_v<Value, domain>) *to = Domain;
    else if constexpr (std::is_same_v<Value, precision>) *to = Precision;
    else {
      const auto list = [&](const std::vector<std::int64_t>& from) {
        for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<Value>(from[i]);
      };
      const std::vector<std::int64_t> zeros(m_lengths.size() + 1); // of the pair that does not count
      switch (parameter) {
        case P::TRANSPOSE: *to = static_cast<Value>(m_is_transposed); break;
        case P::WORKSPACE_EXTERNAL_BYTES: // PRISM allocates its temporary memory itself
          if (!m_queue) throw invalid_argument("dft", "get_value", "the descriptor is not committed");
          *to = Value(0);
          break;
        case P::DIMENSION: *to = static_cast<Value>(m_lengths.size()); break;
        case P::LENGTHS: list(m_lengths); break;
        case P::FORWARD_SCALE: *to = static_cast<Value>(m_forward_scale); break;
        case P::BACKWARD_SCALE: *to = static_cast<Value>(m_backward_scale); break;
        case P::NUMBER_OF_TRANSFORMS: *to = static_cast<Value>(m_count); break;
        case P::FWD_DISTANCE: *to = static_cast<Value>(m_forward_distance); break;
        case P::BWD_DISTANCE: *to = static_cast<Value>(m_backward_distance); break;
        case P::FWD_STRIDES: list(m_input.empty() && m_output.empty() ? m_forward : zeros); break;
        case P::BWD_STRIDES: list(m_input.empty() && m_output.empty() ? m_backward : zeros); break;
        case P::INPUT_STRIDES: list(m_input.empty() ? zeros : m_input); break;
        case P::OUTPUT_STRIDES: list(m_output.empty() ? zeros : m_output); break;
        default: refuse(parameter, "a number");
      }
    }
  }

  void commit(const sycl::queue& queue) {
    using V = config_value;
    const auto require = [](bool holds, const char* what) {
      if (!holds) throw unimplemented("dft", "commit", what);
    };
    require(m_storage == V::COMPLEX_COMPLEX, "for separate real and imaginary parts");
    require(m_ordering == V::ORDERED, "for the order BACKWARD_SCRAMBLED");
    require(m_workspace == V::WORKSPACE_AUTOMATIC, "for an external workspace");
    require(!m_is_transposed, "for TRANSPOSE");
    prism_require_type(queue.get_device());
    m_queue = std::make_shared<sycl::queue>(queue);
  }

  template <typename Memory>
  void set_workspace(Memory&&) {
    if (!m_queue) throw uninitialized("dft", "set_workspace", "the descriptor is not committed");
    throw unimplemented("dft", "set_workspace");
  }

  /// For compute_forward and compute_backward.
  template <bool Forward, typename In, typename Out>
  sycl::event compute(const char* name, bool in_place, const In& in, const Out& out,
                      const std::vector<sycl::event>& dependencies) {
    if (!m_queue) throw uninitialized("dft", name, "the descriptor is not committed");
    if (in_place != (m_placement == config_value::INPLACE))
      throw invalid_argument("dft", name,
                             in_place ? "the descriptor is not in place" : "the descriptor is in place");
    return math::detail::translated("dft", name, [&] {
      const std::vector<std::int64_t>& from = !m_input.empty() ? m_input : Forward ? m_forward : m_backward;
      const std::vector<std::int64_t>& to = in_place && Domain == domain::COMPLEX ? from
                                            : !m_output.empty()                   ? m_output
                                            : Forward                             ? m_backward
                                                                                  : m_forward;
      if (Domain == domain::REAL && in_place && !may_be_in_place(Forward ? from : to, Forward ? to : from))
        throw unimplemented("dft", name, "in place with these strides");
      const auto x = grid<true, Forward>(in, from);
      const auto y = grid<false, Forward>(out, to);
      prism::fft::options how;
      how.scale = static_cast<double>(Forward ? m_forward_scale : m_backward_scale);
      if constexpr (Forward) return prism::fft::forward(*m_queue, x, y, how, dependencies);
      else return prism::fft::backward(*m_queue, x, y, how, dependencies);
    });
  }

private:
  std::vector<std::int64_t> rows(std::int64_t last) const {
    std::vector<std::int64_t> out(m_lengths.size() + 1);
    std::int64_t apart = 1;
    for (std::size_t d = m_lengths.size(); d > 0; --d) {
      out[d] = apart;
      apart *= d == m_lengths.size() ? last : m_lengths[d - 1];
    }
    return out;
  }
  static std::int64_t positive(std::int64_t n) {
    if (n < 1) throw invalid_argument("dft", "set_value", "a number of " + std::to_string(n));
    return n;
  }
  [[noreturn]] static void refuse(config_param parameter, const char* what) {
    throw invalid_argument("dft", "set_value or get_value",
                           "parameter " + std::to_string(static_cast<int>(parameter)) + " is not " + what);
  }
  static const std::int64_t* first(const std::int64_t* from, config_param) { return from; }
  const std::int64_t* first(const std::vector<std::int64_t>& from, config_param parameter) const {
    const std::size_t needed = m_lengths.size() + (parameter == config_param::LENGTHS ? 0 : 1);
    if (from.size() != needed)
      throw invalid_argument("dft", "set_value",
                             std::to_string(from.size()) + " values instead of " + std::to_string(needed));
    return from.data();
  }
  void set_choice(config_param parameter, config_value value) {
    using P = config_param;
    using V = config_value;
    const auto only = [&](std::initializer_list<V> possible) {
      for (const V each : possible)
        if (value == each) return;
      throw invalid_argument("dft", "set_value",
                             "for parameter " + std::to_string(static_cast<int>(parameter)) + ": the value " +
                                 std::to_string(static_cast<int>(value)));
    };
    switch (parameter) {
      case P::PLACEMENT: only({V::INPLACE, V::NOT_INPLACE}), m_placement = value; break;
      case P::COMPLEX_STORAGE: only({V::COMPLEX_COMPLEX, V::REAL_REAL}), m_storage = value; break;
      case P::CONJUGATE_EVEN_STORAGE: only({V::COMPLEX_COMPLEX}); break;
      case P::REAL_STORAGE: only({V::REAL_REAL}); break;
      case P::ORDERING: only({V::ORDERED, V::BACKWARD_SCRAMBLED}), m_ordering = value; break;
      case P::PACKED_FORMAT: only({V::CCE_FORMAT}); break;
      case P::WORKSPACE: only({V::ALLOW, V::AVOID}); break;
      case P::WORKSPACE_PLACEMENT:
        only({V::WORKSPACE_AUTOMATIC, V::WORKSPACE_EXTERNAL}), m_workspace = value;
        break;
      default: refuse(parameter, "a config_value");
    }
  }
  static void prism_require_type(const sycl::device& device) {
    math::detail::translated("dft", "commit", [&] {
      prism::fft::detail::require_type(device, Precision == precision::SINGLE ? 32 : 64);
    });
  }

  /// Whether rows of real numbers and of their transforms begin at the same bytes. Others would overwrite
  /// what is not read yet; for buffers the library cannot see that both sides are one.
  bool may_be_in_place(const std::vector<std::int64_t>& real,
                       const std::vector<std::int64_t>& complex) const {
    const std::size_t last = m_lengths.size() - 1;
    if (real[0] != 2 * complex[0]) return false;
    for (std::size_t d = 0; d < last; ++d)
      if (m_lengths[d] > 1 && real[d + 1] != 2 * complex[d + 1]) return false;
    if (m_lengths[last] > 1 && (real[last + 1] != 1 || complex[last + 1] != 1)) return false;
    return m_count < 2 || m_forward_distance == 2 * m_backward_distance;
  }

  /// The grid of one side, over any pointer or buffer of its bytes.
  template <bool IsInput, bool Forward, typename Memory>
  auto grid(const Memory& memory, const std::vector<std::int64_t>& strides) const {
    using T = std::conditional_t<IsInput == Forward, forward_type, backward_type>;
    const auto fill = [&](auto out) {
      const auto halved = Domain == domain::REAL && IsInput != Forward;
      out.rank = static_cast<int>(m_lengths.size());
      for (std::size_t d = 0; d < m_lengths.size(); ++d) {
        out.extent[d] = static_cast<std::size_t>(m_lengths[d]);
        if (halved && d + 1 == m_lengths.size()) out.extent[d] = out.extent[d] / 2 + 1;
        out.stride[d] = strides[d + 1];
      }
      out.count = static_cast<std::size_t>(m_count);
      out.between = IsInput == Forward ? m_forward_distance : m_backward_distance;
      return out;
    };
    if constexpr (std::is_pointer_v<Memory>) {
      return fill(prism::fft::grid_view<T>(reinterpret_cast<T*>(memory) + strides[0]));
    } else {
      const sycl::buffer<T, 1> typed =
          Memory(memory).template reinterpret<T, 1>(sycl::range<1>(memory.byte_size() / sizeof(T)));
      return fill(
          prism::fft::grid_view<T, prism::buffer_place<T>>(prism::buffer_place<T>(typed, strides[0])));
    }
  }

  std::vector<std::int64_t> m_lengths, m_forward, m_backward, m_input, m_output;
  scalar_type m_forward_scale = 1, m_backward_scale = 1;
  std::int64_t m_count = 1, m_forward_distance = 1, m_backward_distance = 1;
  config_value m_placement = config_value::INPLACE, m_storage = config_value::COMPLEX_COMPLEX,
               m_ordering = config_value::ORDERED, m_workspace = config_value::WORKSPACE_AUTOMATIC;
  bool m_is_transposed = false;
  std::shared_ptr<sycl::queue> m_queue; // null: not committed
};

namespace detail {

/// Two operands of real numbers of a complex descriptor are real and imaginary parts in place.
template <typename Descriptor, typename In, typename Out>
void refuse_parts(const char* name) {
  if constexpr (!std::is_same_v<typename Descriptor::forward_type, typename Descriptor::scalar_type>)
    if (std::is_floating_point_v<In> && std::is_floating_point_v<Out>)
      throw unimplemented("dft", name, "for separate real and imaginary parts");
}

} // namespace detail

// ---- in place, and from one operand to the other

template <typename Descriptor, typename T>
void compute_forward(Descriptor& of, sycl::buffer<T, 1>& inout) {
  of.template compute<true>("compute_forward", true, inout, inout, {});
}
template <typename Descriptor, typename In, typename Out>
void compute_forward(Descriptor& of, sycl::buffer<In, 1>& in, sycl::buffer<Out, 1>& out) {
  detail::refuse_parts<Descriptor, In, Out>("compute_forward");
  of.template compute<true>("compute_forward", false, in, out, {});
}
template <typename Descriptor, typename In, typename Out>
void compute_forward(Descriptor&, sycl::buffer<In, 1>&, sycl::buffer<In, 1>&, sycl::buffer<Out, 1>&,
                     sycl::buffer<Out, 1>&) {
  throw unimplemented("dft", "compute_forward", "for separate real and imaginary parts");
}
template <typename Descriptor, typename T>
sycl::event compute_forward(Descriptor& of, T* inout, const std::vector<sycl::event>& dependencies = {}) {
  return of.template compute<true>("compute_forward", true, inout, inout, dependencies);
}
template <typename Descriptor, typename In, typename Out>
sycl::event compute_forward(Descriptor& of, In* in, Out* out,
                            const std::vector<sycl::event>& dependencies = {}) {
  detail::refuse_parts<Descriptor, In, Out>("compute_forward");
  return of.template compute<true>("compute_forward", false, in, out, dependencies);
}
template <typename Descriptor, typename In, typename Out>
sycl::event compute_forward(Descriptor&, In*, In*, Out*, Out*, const std::vector<sycl::event>& = {}) {
  throw unimplemented("dft", "compute_forward", "for separate real and imaginary parts");
}
template <typename Descriptor, typename T>
void compute_backward(Descriptor& of, sycl::buffer<T, 1>& inout) {
  of.template compute<false>("compute_backward", true, inout, inout, {});
}
template <typename Descriptor, typename In, typename Out>
void compute_backward(Descriptor& of, sycl::buffer<In, 1>& in, sycl::buffer<Out, 1>& out) {
  detail::refuse_parts<Descriptor, In, Out>("compute_backward");
  of.template compute<false>("compute_backward", false, in, out, {});
}
template <typename Descriptor, typename In, typename Out>
void compute_backward(Descriptor&, sycl::buffer<In, 1>&, sycl::buffer<In, 1>&, sycl::buffer<Out, 1>&,
                      sycl::buffer<Out, 1>&) {
  throw unimplemented("dft", "compute_backward", "for separate real and imaginary parts");
}
template <typename Descriptor, typename T>
sycl::event compute_backward(Descriptor& of, T* inout, const std::vector<sycl::event>& dependencies = {}) {
  return of.template compute<false>("compute_backward", true, inout, inout, dependencies);
}
template <typename Descriptor, typename In, typename Out>
sycl::event compute_backward(Descriptor& of, In* in, Out* out,
                             const std::vector<sycl::event>& dependencies = {}) {
  detail::refuse_parts<Descriptor, In, Out>("compute_backward");
  return of.template compute<false>("compute_backward", false, in, out, dependencies);
}
template <typename Descriptor, typename In, typename Out>
sycl::event compute_backward(Descriptor&, In*, In*, Out*, Out*, const std::vector<sycl::event>& = {}) {
  throw unimplemented("dft", "compute_backward", "for separate real and imaginary parts");
}

} // namespace oneapi::math::dft
