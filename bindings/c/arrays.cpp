#include "bindings/c/arrays.hpp"

#include <algorithm>
#include <iterator>

namespace prism::c_interface {
namespace {

// In the order of prism::dtype.
constexpr std::int32_t types_of_arrays[dtype_count] = {PRISM_BOOL, PRISM_S8,  PRISM_S16, PRISM_S32, PRISM_S64,
                                                       PRISM_U8,   PRISM_U16, PRISM_U32, PRISM_U64, PRISM_F32,
                                                       PRISM_F64,  PRISM_C32, PRISM_C64};

/// Extents of the caller.
extents extents_of(std::int32_t rank, const std::int64_t* given) {
  if (rank < 0 || rank > max_rank)
    throw failure(PRISM_INVALID, "rank " + std::to_string(rank) + ": arrays have 0 to " +
                                     std::to_string(max_rank) + " dimensions");
  if (rank != 0) required(given, "extents");
  for (std::int32_t d = 0; d < rank; ++d)
    if (given[d] < 0) throw failure(PRISM_INVALID, "extents has " + std::to_string(given[d]));
  extents shape(given, std::size_t(rank));
  if (!is_addressable(shape, 64)) throw failure(PRISM_INVALID, "extents have more elements than memory");
  return shape;
}

std::string text_of_array(const any_array& array, const std::string& what) {
  if (what == "str") return array.str();
  if (what == "repr") return array.repr();
  if (what == "explain") return explain(array);
  throw failure(PRISM_NOT_FOUND, "an array has no text \"" + what + "\"; it has str, repr, explain");
}

} // namespace

dtype dtype_of_type(std::int32_t type) {
  const auto* found = std::find(std::begin(types_of_arrays), std::end(types_of_arrays), type);
  if (found == std::end(types_of_arrays))
    throw failure(PRISM_INVALID, "arrays have no elements of " + name_of_type(type));
  return static_cast<dtype>(found - types_of_arrays);
}
std::int32_t type_of_dtype(dtype type) { return types_of_arrays[static_cast<std::size_t>(type)]; }

array_object::~array_object() {
  if (registered != 0) remove_array_memory(registered);
}

prism_view array_object::view() {
  prism_view out{};
  out.struct_size = sizeof out, out.data = array.data(), out.type = type_of_dtype(array.type());
  const extents &shape = array.shape(), &apart = array.strides();
  prism::array_detail::queue_for_write(
      array); // the receiver may write, so what is recorded on the memory runs before
  array.wait();
  out.rank = shape.size();
  const auto bytes = static_cast<std::int64_t>(array.itemsize());
  std::int64_t lowest = 0, highest = 0;
  for (int d = 0; d < shape.size(); ++d) {
    out.extent[d] = shape[d], out.stride[d] = apart[d];
    if (shape[d] > 1) (apart[d] < 0 ? lowest : highest) += (shape[d] - 1) * apart[d] * bytes;
  }
  const std::lock_guard lock(mutex);
  if (registered == 0 && array.size() != 0) {
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(out.data) + std::uintptr_t(lowest);
    if (add_array_memory(array.queue(), first, std::size_t(highest - lowest + bytes), array.owner()))
      registered = first;
  }
  return out;
}

given_arguments::given_arguments(const prism_given* first, std::size_t count, const prism_device* device)
    : m_first(first), m_count(count), m_device(device) {
  if (count != 0) required(first, "arguments");
  for (std::size_t i = 0; i < count; ++i)
    if (first[i].struct_size != sizeof(prism_given))
      throw failure(PRISM_INVALID, "argument " + std::to_string(i) + " has a struct_size of " +
                                       std::to_string(first[i].struct_size) +
                                       "; set it to sizeof(prism_given)");
}

const prism_given& given_arguments::at(std::size_t i) const {
  static const prism_given nothing{};
  return i < m_count ? m_first[i] : nothing;
}
void given_arguments::refuse(std::size_t i, const char* wanted) const {
  static const char* const names[] = {
      "nothing",          "an array",           "a bool",          "an integer",         "a real number",
      "a complex number", "a list of integers", "a type",          "a list of arrays",   "an index",
      "a text",           "a list of texts",    "a sparse matrix", "an unsigned integer"};
  const std::int32_t kind = at(i).kind;
  throw failure(PRISM_INVALID,
                "argument " + std::to_string(i) + " is " +
                    (kind >= 0 && kind <= PRISM_GIVEN_UNSIGNED ? std::string(names[kind])
                                                               : "of kind " + std::to_string(kind)) +
                    ", not " + wanted);
}
void given_arguments::require_count(std::size_t i) const {
  if (at(i).count < 0)
    throw failure(PRISM_INVALID,
                  "argument " + std::to_string(i) + " has a count of " + std::to_string(at(i).count));
}
bool given_arguments::has(std::size_t i) const { return at(i).kind != PRISM_GIVEN_NOTHING; }
bool given_arguments::is_array(std::size_t i) const { return at(i).kind == PRISM_GIVEN_ARRAY; }
bool given_arguments::is_text(std::size_t i) const { return at(i).kind == PRISM_GIVEN_TEXT; }
any_array given_arguments::array(std::size_t i) const {
  if (!is_array(i)) refuse(i, "an array");
  return find<array_object>(at(i).data, ("argument " + std::to_string(i)).c_str())->array;
}
std::vector<any_array> given_arguments::arrays(std::size_t i) const {
  const prism_given& g = at(i);
  if (g.kind == PRISM_GIVEN_LIST && g.count == 0) return {}; // an empty list is one of anything
  if (g.kind != PRISM_GIVEN_ARRAYS) refuse(i, "a list of arrays");
  require_count(i);
  const std::string name = "argument " + std::to_string(i);
  const auto* handles = static_cast<const prism_array* const*>(g.data);
  if (g.count != 0) required(handles, name.c_str());
  std::vector<any_array> out;
  for (std::int32_t k = 0; k < g.count; ++k)
    out.push_back(find<array_object>(handles[k], name.c_str())->array);
  return out;
}
scalar given_arguments::number(std::size_t i) const {
  const prism_given& g = at(i);
  switch (g.kind) {
    case PRISM_GIVEN_BOOL: return scalar(g.integer != 0);
    case PRISM_GIVEN_INTEGER: return scalar(g.integer);
    case PRISM_GIVEN_UNSIGNED: return scalar(static_cast<std::uint64_t>(g.integer));
    case PRISM_GIVEN_REAL: return scalar(g.number[0]);
    case PRISM_GIVEN_COMPLEX: return scalar(std::complex<double>(g.number[0], g.number[1]));
    default: refuse(i, "a number");
  }
}
array_operand given_arguments::operand(std::size_t i) const {
  if (is_array(i)) return array_operand(array(i));
  return array_operand(number(i));
}
std::optional<array_operand> given_arguments::optional_operand(std::size_t i) const {
  if (!has(i)) return {};
  return operand(i);
}
bool given_arguments::flag(std::size_t i, bool usual) const {
  if (!has(i)) return usual;
  if (at(i).kind != PRISM_GIVEN_BOOL) refuse(i, "a bool");
  return at(i).integer != 0;
}
std::int64_t given_arguments::integer(std::size_t i, std::optional<std::int64_t> usual) const {
  if (!has(i) && usual) return *usual;
  if (at(i).kind != PRISM_GIVEN_INTEGER) refuse(i, "an integer");
  return at(i).integer;
}
std::optional<std::int64_t> given_arguments::optional_integer(std::size_t i) const {
  if (!has(i)) return {};
  return integer(i);
}
double given_arguments::real(std::size_t i, std::optional<double> usual) const {
  if (!has(i) && usual) return *usual;
  if (at(i).kind == PRISM_GIVEN_INTEGER) return static_cast<double>(at(i).integer);
  if (at(i).kind == PRISM_GIVEN_UNSIGNED)
    return static_cast<double>(static_cast<std::uint64_t>(at(i).integer));
  if (at(i).kind != PRISM_GIVEN_REAL) refuse(i, "a real number");
  return at(i).number[0];
}
std::optional<dtype> given_arguments::optional_type(std::size_t i) const {
  if (!has(i)) return {};
  return type(i);
}
dtype given_arguments::type(std::size_t i) const {
  if (at(i).kind != PRISM_GIVEN_TYPE) refuse(i, "a type");
  return dtype_of_type(static_cast<std::int32_t>(at(i).integer));
}
std::vector<std::int64_t> given_arguments::list(std::size_t i) const {
  const prism_given& g = at(i);
  if (g.kind == PRISM_GIVEN_INTEGER) return {g.integer};
  if (g.kind != PRISM_GIVEN_LIST) refuse(i, "a list of integers");
  require_count(i);
  const auto* first = static_cast<const std::int64_t*>(g.data);
  if (g.count != 0) required(first, ("argument " + std::to_string(i)).c_str());
  return std::vector<std::int64_t>(first, first + g.count);
}
axes given_arguments::axis(std::size_t i) const {
  if (!has(i)) return {};
  return list(i);
}
std::vector<index_item> given_arguments::index(std::size_t i) const {
  const prism_given& g = at(i);
  if (g.kind != PRISM_GIVEN_INDEX) refuse(i, "an index");
  require_count(i);
  const auto* first = static_cast<const prism_index*>(g.data);
  if (g.count != 0) required(first, ("argument " + std::to_string(i)).c_str());
  std::vector<index_item> out;
  for (const prism_index* item = first; item != first + g.count; ++item) {
    slice range;
    if (item->has_start != 0) range.start = item->start;
    if (item->has_stop != 0) range.stop = item->stop;
    range.step = item->step;
    switch (item->kind) {
      case PRISM_INDEX_AT: out.emplace_back(item->start); break;
      case PRISM_INDEX_SLICE: out.emplace_back(range); break;
      case PRISM_INDEX_NEW_AXIS: out.push_back(newaxis); break;
      case PRISM_INDEX_ELLIPSIS: out.push_back(ellipsis); break;
      default: refuse(i, "an index of known items");
    }
  }
  return out;
}
std::string given_arguments::text(std::size_t i) const {
  const prism_given& g = at(i);
  if (g.kind != PRISM_GIVEN_TEXT) refuse(i, "a text");
  require_count(i);
  const std::string name = "argument " + std::to_string(i);
  const char* first = required(static_cast<const char*>(g.data), name.c_str());
  if (g.count == 0) return first;
  std::string out(first, std::size_t(g.count));
  if (const std::size_t zero = out.find('\0'); zero != std::string::npos)
    throw failure(PRISM_INVALID,
                  name + " has a zero byte at " + std::to_string(zero) + " of " + std::to_string(g.count));
  return out;
}
std::vector<std::string> given_arguments::texts(std::size_t i) const {
  const prism_given& g = at(i);
  if (g.kind == PRISM_GIVEN_TEXT) return {text(i)};
  if (g.kind == PRISM_GIVEN_LIST && g.count == 0) return {};
  if (g.kind != PRISM_GIVEN_TEXTS) refuse(i, "a list of texts");
  require_count(i);
  const std::string name = "argument " + std::to_string(i);
  const auto* first = static_cast<const char* const*>(g.data);
  if (g.count != 0) required(first, name.c_str());
  std::vector<std::string> out;
  for (std::int32_t k = 0; k < g.count; ++k) out.emplace_back(required(first[k], name.c_str()));
  return out;
}
const void* given_arguments::sparse(std::size_t i) const {
  if (at(i).kind != PRISM_GIVEN_SPARSE) refuse(i, "a sparse matrix");
  return at(i).data;
}
array_device given_arguments::device() const {
  return m_device == nullptr ? array_device() : array_device(find<device_object>(m_device, "device")->device);
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_array_from_host(const prism_device* device, const void* data, int32_t type, int32_t rank,
                                   const int64_t* extents, prism_array** array, prism_error** error) {
  return guarded("prism_array_from_host", error, [&] {
    required(array, "array");
    const prism::extents shape = extents_of(rank, extents);
    if (shape.product() != 0) required(data, "data");
    store(array, std::make_shared<array_object>(prism::from_host(
                     data, shape, dtype_of_type(type), given_arguments(nullptr, 0, device).device())));
  });
}

prism_status prism_array_to_host(const prism_array* array, void* to, size_t bytes, prism_error** error) {
  return guarded("prism_array_to_host", error, [&] {
    const auto what = find<array_object>(array, "array");
    if (bytes != what->array.nbytes())
      throw failure(PRISM_INVALID, "the array has " + std::to_string(what->array.nbytes()) + " bytes, not " +
                                       std::to_string(bytes));
    if (bytes != 0) required(to, "to");
    what->array.copy_to_host(to, bytes);
  });
}

prism_status prism_array_info(const prism_array* array, int32_t* type, int32_t* rank, int64_t* extents,
                              prism_error** error) {
  return guarded("prism_array_info", error, [&] {
    const auto what = find<array_object>(array, "array");
    optional(type, "type"), optional(rank, "rank"), optional(extents, "extents");
    const prism::extents& shape = what->array.shape();
    if (type != nullptr) *type = type_of_dtype(what->array.type());
    if (rank != nullptr) *rank = shape.size();
    if (extents != nullptr) std::copy(shape.begin(), shape.end(), extents);
  });
}

prism_status prism_array_data(const prism_array* array, void** data, int64_t* strides, prism_error** error) {
  return guarded("prism_array_data", error, [&] {
    const auto what = find<array_object>(array, "array");
    required(data, "data"), optional(strides, "strides");
    void* const first = what->array.data();
    const prism::extents& apart = what->array.strides();
    prism::array_detail::queue_for_write(
        what->array); // the receiver may write, so what is recorded on the memory runs before
    what->array.wait();
    if (strides != nullptr) std::copy(apart.begin(), apart.end(), strides);
    *data = first;
  });
}

prism_status prism_array_view(const prism_array* array, prism_view* view, prism_error** error) {
  return guarded("prism_array_view", error, [&] {
    const auto what = find<array_object>(array, "array");
    *required(view, "view") = what->view();
  });
}

prism_status prism_array_device(const prism_array* array, prism_device** device, prism_error** error) {
  return guarded("prism_array_device", error, [&] {
    const auto what = find<array_object>(array, "array");
    required(device, "device");
    store(device, std::make_shared<device_object>(what->array.device()));
  });
}

prism_status prism_array_text(const prism_array* array, const char* what, char* text, size_t capacity,
                              size_t* needed, prism_error** error) {
  return guarded("prism_array_text", error, [&] {
    required(what, "what");
    give_text(text_of_array(find<array_object>(array, "array")->array, what), text, capacity, needed);
  });
}

prism_status prism_array_call(const char* function, const prism_device* device, const prism_given* arguments,
                              size_t count, prism_array** results, size_t capacity, size_t* made,
                              prism_error** error) {
  return guarded("prism_array_call", error, [&] {
    const std::string_view name = required(function, "function");
    optional(made, "made");
    if (capacity != 0) required(results, "results");
    const given_arguments given(arguments, count, device);
    const array_function* const row = find_array_function(name);
    if (row == nullptr)
      throw failure(PRISM_NOT_FOUND, "arrays have no function \"" + std::string(name) + "\"");
    const auto most = static_cast<std::size_t>(std::count(row->text.begin(), row->text.end(), ' ')) + 1;
    if (count > most)
      throw failure(PRISM_INVALID, row->name + " has " + std::to_string(most) + " arguments (" + row->text +
                                       "), not " + std::to_string(count));
    std::vector<prism::any_array> out;
    try {
      out = row->call(given, row->number);
    } catch (const failure& e) {
      throw failure(e.status(), row->name + " (" + row->text + "): " + e.what());
    }
    if (made != nullptr) *made = out.size();
    if (capacity < out.size())
      throw failure(PRISM_TOO_SMALL, row->name + " has " + std::to_string(out.size()) +
                                         " results, room is for " + std::to_string(capacity));
    for (std::size_t i = 0; i < out.size(); ++i)
      store(&results[i], std::make_shared<array_object>(std::move(out[i])));
  });
}

prism_status prism_array_functions(char* text, size_t capacity, size_t* needed, prism_error** error) {
  return guarded("prism_array_functions", error, [&] {
    std::string out;
    for (const array_function& each : array_functions()) out += each.name + " " + each.text + "\n";
    give_text(out, text, capacity, needed);
  });
}
}
