// A program as one small kernel for each load, conversion, step and store. A command graph fuses them into
// one launch (docs/graphs.md), whose intermediate values the driver keeps in registers: such a launch costs
// as much as a kernel written for the expression, but a driver has to build it. The kernels of device.hpp
// choose each operation while they run, and so cost many times more for an element, but are built once.
#pragma once

#include "kernels/array/program.hpp"

#include <prism/array/number.hpp>
#include <prism/graph.hpp>

#include <memory>
#include <vector>

namespace prism::array_detail {

/// A number for each work-item: a buffer of elements of `type`, which no memory stands behind once the
/// kernels that use it are fused.
struct piece_value {
  dtype type = dtype::float64;
  std::shared_ptr<void> elements; // sycl::buffer<E>
};

template <typename E>
inline constexpr dtype element_type = type_of_arithmetic<E>;
template <>
inline constexpr dtype element_type<truth_value> = dtype::boolean;

/// Where the kernels of one program are recorded.
class piece_recorder {
public:
  piece_recorder(sycl::queue& recording, const program& p)
      : m_queue(recording), m_program(p), m_range(std::size_t(p.size)) {}

  const program& of() const { return m_program; }
  template <typename E>
  piece_value fresh() {
    m_values.push_back({element_type<E>, std::make_shared<sycl::buffer<E>>(
                                             m_range, sycl::property_list{property::promote_private()})});
    return m_values.back();
  }
  /// All values, which must live as long as the graph.
  std::vector<piece_value> take_values() { return std::move(m_values); }
  template <typename E>
  static sycl::buffer<E>& buffer_of(const piece_value& value) {
    return *static_cast<sycl::buffer<E>*>(value.elements.get());
  }
  /// Records the kernel that sets element i of the new value to function(i, elements of `from` at i).
  template <typename Name, typename To, typename... From, typename Function, typename... Value>
  piece_value compute(const Function& function, const Value&... from) {
    piece_value made = fresh<To>();
    m_queue.submit([&](sycl::handler& h) {
      const sycl::accessor to(buffer_of<To>(made), h, sycl::write_only, sycl::no_init);
      record_kernel<Name>(h, function, to, sycl::accessor(buffer_of<From>(from), h, sycl::read_only)...);
    });
    return made;
  }
  /// Records the kernel that calls function(i, elements of `from` at i).
  template <typename Name, typename... From, typename Function, typename... Value>
  void consume(const Function& function, const Value&... from) {
    m_queue.submit([&](sycl::handler& h) {
      record_call<Name>(h, function, sycl::accessor(buffer_of<From>(from), h, sycl::read_only)...);
    });
  }

private:
  template <typename Name, typename Function, typename To, typename... From>
  void record_kernel(sycl::handler& h, const Function& function, const To& to, const From&... from) {
    h.parallel_for<Name>(m_range, [=](sycl::id<1> i) { to[i] = function(i[0], from[i]...); });
  }
  template <typename Name, typename Function, typename... From>
  void record_call(sycl::handler& h, const Function& function, const From&... from) {
    h.parallel_for<Name>(m_range, [=](sycl::id<1> i) { function(i[0], from[i]...); });
  }

  sycl::queue& m_queue;
  const program& m_program;
  sycl::range<1> m_range;
  std::vector<piece_value> m_values;
};

/// The elements of an array in their own type, in the order of the program's extents.
piece_value load_piece(piece_recorder& recorder, const program_array& from);
/// `value` with elements of another type; `value` itself if they have it.
piece_value convert_pieces(piece_recorder& recorder, piece_value value, dtype type);
/// Writes the elements, which have the array's type.
void store_piece(piece_recorder& recorder, const program_array& to, const piece_value& value);

/// The program's k-th constant as a number of the arithmetic T.
template <typename T>
piece_value number_piece(piece_recorder& recorder, int k);
/// op of up to three values of the arithmetic T.
template <typename T>
piece_value step_piece(piece_recorder& recorder, step_op op, const piece_value& a, const piece_value& b,
                       const piece_value& c);
/// Record on the queue of a graph the fold of `p`, whose kernel computes the elements that the steps write to
/// `elements` (computed_elements.hpp): in chunks, for processors through OpenCL, or in the order of
/// device.hpp. `p` has no leaves, and is a copy of `host` in memory that kernels read and write.
template <typename T>
void record_chunk_fold(sycl::queue& queue, sycl::buffer<T>& elements, program* p, const program& host);
template <typename T>
void record_element_fold(sycl::queue& queue, sycl::buffer<T>& elements, program* p, const program& host);
} // namespace prism::array_detail
