// prism::any_array: an array whose element type is known at run time. Use <prism/array.hpp>.
//
// An any_array is a reference to an array, as a variable of Python is: a copy is cheap and names the same
// array. Memory is USM of one device, shared by an array and its views.
//
// Element-wise operations are lazy: they record an expression, in less than a microsecond. It runs when a
// value is needed, as one launch per class of arithmetic (64-bit integers, float, double, complex of both),
// with its broadcasts and conversions. A write to memory that a recorded expression reads runs the expression
// first, so that it has the values of the time of its recording. Other operations run at once, in the order
// of the calls, and do not block; reading on the host waits.
//
// Errors: shapes, types, axes and indices that do not fit are refused at once with errc::invalid and a
// message that says what was asked and what disagrees; a device without the element type with
// errc::feature_not_supported. What a device does is reported when the host waits for it.
//
// Threads: any thread may call any function; two threads must not write the same any_array variable.
#pragma once

#include <prism/array/dtype.hpp>
#include <sycl/queue.hpp>

#include <sycl/detail/user_macros_hide.hpp>

#include <memory>

namespace prism {

namespace array_detail {
struct array_node;
}

class any_array {
public:
  /// No array. Every use but assignment, valid() and destruction is refused.
  any_array() = default;
  /// An array without dimensions that holds a number.
  explicit any_array(const scalar& value);
  any_array(const scalar& value, dtype type);

  bool valid() const { return m_node != nullptr; }
  dtype type() const;
  const extents& shape() const;
  int ndim() const { return shape().size(); }
  std::int64_t size() const; // elements
  std::size_t itemsize() const { return size_of(type()); }
  std::size_t nbytes() const { return std::size_t(size()) * itemsize(); }
  sycl::device device() const;
  /// The in-order queue on which the array's commands run; one for each device.
  sycl::queue queue() const;

  /// Runs the recorded expression, if there is one. Does not wait.
  void evaluate() const;
  /// Whether the elements are in memory, or commands that write them are under way.
  bool evaluated() const;
  /// Waits until the elements are in memory.
  void wait() const;
  /// The following two run the expression first. Strides are in elements, and may be 0 or negative.
  const extents& strides() const;
  /// The first element: USM of device(). Commands outside of queue() must wait().
  void* data() const;
  /// Elements follow each other in C order without gaps.
  bool is_contiguous() const;
  /// Keeps the memory behind data() alive.
  std::shared_ptr<void> owner() const;

  /// Copies all elements, in C order and without gaps, to `to`; waits. `bytes` must be nbytes().
  void copy_to_host(void* to, std::size_t bytes) const;
  /// Writes all elements from host memory in C order; waits until `from` is free. `bytes` must be nbytes().
  void copy_from_host(const void* from, std::size_t bytes);
  /// All elements in C order. T must be the element type.
  template <typename T>
  std::vector<T> to_vector() const {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements in memory; use unsigned char");
    require_type(dtype_of<T>() == dtype::uint8 && type() == dtype::boolean ? dtype::boolean : dtype_of<T>());
    std::vector<T> all(static_cast<std::size_t>(size()));
    copy_to_host(all.data(), all.size() * sizeof(T));
    return all;
  }
  /// The only element, converted to T. Refused if there is not exactly one.
  template <typename T>
  T item() const {
    static_assert(std::is_arithmetic_v<T>);
    const scalar s = item();
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(s.real.real());
    else
      return s.kind <= scalar::kind_type::integer ? static_cast<T>(s.integer) : static_cast<T>(s.real.real());
  }
  scalar item() const;

  // Views: they share the elements. A lazy array is evaluated first.
  any_array operator[](std::initializer_list<index_item> items) const {
    return view(std::vector<index_item>(items));
  }
  any_array view(const std::vector<index_item>& items) const;
  any_array transpose(const std::vector<std::int64_t>& order = {}) const; // empty: reversed
  any_array swapaxes(std::int64_t a, std::int64_t b) const;
  any_array moveaxis(std::int64_t from, std::int64_t to) const;
  any_array broadcast_to(const extents& shape) const;
  any_array expand_dims(std::int64_t axis) const;
  any_array squeeze(const axes& axis = {}) const;
  any_array flip(const axes& axis = {}) const;
  any_array diagonal() const; // of the last two dimensions
  /// A view where the strides allow it, else a copy. One extent may be -1.
  any_array reshape(const extents& shape) const;
  any_array real() const; // a view of a complex array; the array itself otherwise
  any_array imag() const; // a view of a complex array; zeros otherwise

  /// An array with elements of its own.
  any_array copy() const;
  /// The same elements converted; lazy. The array itself if it has the type already.
  any_array astype(dtype type) const;
  any_array to_device(const sycl::device& device) const;

  // Writes into this array's elements, and so into every array that shares them.
  /// `value` is broadcast to the shape and converted to the type.
  void assign(const any_array& value);
  /// The same in one launch, if `value` is an expression whose elements depend on no others of this array
  /// than their own, as `x * 2 + y` written to x. That expression must not be used any more.
  void overwrite(const any_array& value);
  void fill(const scalar& value);
  /// Advanced indices: `indices` holds positions along `axis` of any integer type; negative ones count from
  /// the end. Positions out of range are refused; the check waits for the indices.
  any_array take(const any_array& indices, std::int64_t axis = 0) const;
  /// The elements at broadcast positions, one integer array for each of the first dimensions: a[i, j].
  any_array gather(const std::vector<any_array>& indices) const;
  void put(const std::vector<any_array>& indices, const any_array& value);
  /// a[mask]: the elements where `mask` (bool, shape of the first dimensions) is true. Waits for the count.
  any_array select(const any_array& mask) const;
  void put_where(const any_array& mask, const any_array& value); // value: one element or one per true

  /// As NumPy's str() and repr(). They wait.
  std::string str() const;
  std::string repr() const;

  /// Internal.
  explicit any_array(std::shared_ptr<array_detail::array_node> n) : m_node(std::move(n)) {}
  array_detail::array_node& node() const;
  const std::shared_ptr<array_detail::array_node>& shared_node() const { return m_node; }

private:
  void require_type(dtype wanted) const;
  std::shared_ptr<array_detail::array_node> m_node;
};

/// The numbers that may stand where an array may.
template <typename T>
inline constexpr bool is_array_number = std::is_arithmetic_v<T> || std::is_same_v<T, scalar>;
template <typename T>
inline constexpr bool is_array_number<std::complex<T>> = true;

/// An operand of an operation: an array or a number.
struct array_operand {
  any_array array;
  scalar number;
  array_operand(const any_array& a) : array(a) { a.type(); } // refuses a variable without an array
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  array_operand(T value) : number(value) {}
  template <typename T>
  array_operand(std::complex<T> value) : number(value) {}
  array_operand(const scalar& value) : number(value) {}
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
