// Arrays for other libraries and from them: buffers of Python (PEP 3118), DLPack, memory of prism.Memory, and
// views by basic indices.
#include "bindings/python/core/core.hpp"

#include <prism/dlpack.h>

#include <cstring>

namespace prism_python {
namespace {

constexpr const char *capsule_name = "dltensor", *versioned_name = "dltensor_versioned";

/// The format of PEP 3118.
const char* format_of(int32_t type) {
  switch (type) {
    case PRISM_BOOL: return "?";
    case PRISM_S8: return "b";
    case PRISM_S16: return "h";
    case PRISM_S32: return "i";
    case PRISM_S64: return "q";
    case PRISM_U8: return "B";
    case PRISM_U16: return "H";
    case PRISM_U32: return "I";
    case PRISM_U64: return "Q";
    case PRISM_F32: return "f";
    case PRISM_F64: return "d";
    case PRISM_C32: return "Zf";
    default: return "Zd";
  }
}

Py_ssize_t element_bytes(int32_t type) {
  const bool is_complex = (type & 0xff) == (PRISM_C32 & 0xff);
  return (type >> 8) / 8 * (is_complex ? 2 : 1);
}

bool device_of_array(PyObject* array, int32_t& type, int32_t& number) {
  return runs([&](prism_error** error) {
    return prism_array_dlpack_device(as_array(array)->handle, &type, &number, error);
  });
}

struct buffer_layout {
  Py_ssize_t shape[PRISM_MAX_RANK], strides[PRISM_MAX_RANK];
};

/// Whether strides are those of C's order, or with `backwards` of Fortran's.
bool is_dense(const buffer_layout& layout, int rank, Py_ssize_t element, bool backwards) {
  for (int i = 0; i < rank; ++i) {
    const int d = backwards ? i : rank - 1 - i;
    if (layout.shape[d] == 0) return true;
    if (layout.shape[d] > 1 && layout.strides[d] != element) return false;
    element *= layout.shape[d];
  }
  return true;
}

/// The array of a tensor that no receiver took is its only user.
void drop_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, capsule_name)) {
    auto* tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, capsule_name));
    const unlocked now;
    tensor->deleter(tensor);
  } else if (PyCapsule_IsValid(capsule, versioned_name)) {
    auto* tensor = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, versioned_name));
    const unlocked now;
    tensor->deleter(tensor);
  }
}

/// prism_array_from_memory's: any thread.
void drop_owner(void* owner) {
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(owner));
  PyGILState_Release(state);
}

/// A tensor over memory of a prism.Memory that the host can read.
template <typename Tensor>
struct exported {
  Tensor tensor{};
  PyObject* owner = nullptr;
  int64_t shape[PRISM_MAX_RANK], strides[PRISM_MAX_RANK];
  static void drop(Tensor* tensor) {
    auto* whole = static_cast<exported*>(tensor->manager_ctx);
    drop_owner(whole->owner);
    delete whole;
  }
};

DLDataType dlpack_type(int32_t type) {
  const auto bits = std::uint8_t(type >> 8);
  switch (type & 0xff) {
    case PRISM_F32 & 0xff: return {kDLFloat, bits, 1};
    case PRISM_C32 & 0xff: return {kDLComplex, std::uint8_t(2 * bits), 1};
    case PRISM_S32 & 0xff: return {kDLInt, bits, 1};
    case PRISM_U32 & 0xff: return {kDLUInt, bits, 1};
    default: return {kDLBool, bits, 1};
  }
}

template <typename Tensor>
Tensor* tensor_over(const prism_view& view, PyObject* owner) {
  auto* whole = new exported<Tensor>;
  whole->owner = Py_NewRef(owner);
  for (int32_t d = 0; d < view.rank; ++d)
    whole->shape[d] = view.extent[d], whole->strides[d] = view.stride[d];
  DLTensor& t = whole->tensor.dl_tensor;
  t.data = view.data, t.device = {kDLCPU, 0}, t.ndim = view.rank, t.dtype = dlpack_type(view.type);
  t.shape = whole->shape, t.strides = whole->strides;
  whole->tensor.manager_ctx = whole, whole->tensor.deleter = exported<Tensor>::drop;
  return &whole->tensor;
}

bool integer_attribute(PyObject* from, const char* name, int32_t& has, int64_t& to) {
  PyObject* value = PyObject_GetAttrString(from, name);
  if (value == nullptr) return false;
  has = value != Py_None;
  PyObject* whole = has ? PyNumber_Index(value) : nullptr;
  to = whole == nullptr ? 0 : PyLong_AsLongLong(whole);
  Py_DECREF(value);
  Py_XDECREF(whole);
  return !PyErr_Occurred();
}

enum class item_kind { basic, other, wrong };

item_kind index_item(PyObject* value, prism_index& to) {
  to = prism_index{PRISM_INDEX_AT, 0, 0, 0, 0, 0, 1};
  if (value == Py_None) to.kind = PRISM_INDEX_NEW_AXIS;
  else if (value == Py_Ellipsis) to.kind = PRISM_INDEX_ELLIPSIS;
  else if (Py_TYPE(value) == &PySlice_Type) {
    to.kind = PRISM_INDEX_SLICE;
    int32_t has_step = 0;
    if (!integer_attribute(value, "start", to.has_start, to.start) ||
        !integer_attribute(value, "stop", to.has_stop, to.stop) ||
        !integer_attribute(value, "step", has_step, to.step))
      return item_kind::wrong;
    if (has_step == 0) to.step = 1;
  } else if (PyLong_Check(value) && !PyBool_Check(value)) to.start = PyLong_AsLongLong(value);
  else {
    if (PyBool_Check(value) || PyList_Check(value)) return item_kind::other;
    const bool is_own = is_array(value);
    if (is_own && !read_info(as_array(value))) return item_kind::wrong;
    if (is_own ? PyTuple_Size(as_array(value)->shape) != 0 || as_array(value)->number == PRISM_BOOL
               : PyObject_HasAttrString(value, "__array__") != 0)
      return item_kind::other;
    PyObject* whole = PyNumber_Index(value);
    if (whole == nullptr) return item_kind::wrong;
    to.start = PyLong_AsLongLong(whole);
    Py_DECREF(whole);
  }
  return PyErr_Occurred() ? item_kind::wrong : item_kind::basic;
}

bool has_arguments(Py_ssize_t count, Py_ssize_t wanted, PyObject* const* arguments, bool first_is_array) {
  if (count == wanted && (!first_is_array || is_array(arguments[0]))) return true;
  PyErr_SetString(PyExc_TypeError, "prism._core: wrong arguments");
  return false;
}

} // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  int32_t device = 0, number = 0;
  if (!read_info(as_array(self)) || !device_of_array(self, device, number)) return -1;
  if (device != kDLCPU) {
    PyErr_SetString(PyExc_BufferError,
                    "the elements are in the memory of another device; use to_device('host')");
    return -1;
  }
  void* data = nullptr;
  int64_t strides[PRISM_MAX_RANK] = {};
  if (!runs([&](prism_error** error) {
    return prism_array_data(as_array(self)->handle, &data, strides, error);
  }))
    return -1;
  const array_object& array = *as_array(self);
  const int rank = int(PyTuple_Size(array.shape));
  const Py_ssize_t element = element_bytes(array.number);
  auto layout = std::make_unique<buffer_layout>();
  Py_ssize_t bytes = element;
  bool repeats = false; // of broadcast_to: a write to one element changes others
  for (int d = 0; d < rank; ++d) {
    layout->shape[d] = PyLong_AsSsize_t(PyTuple_GetItem(array.shape, d));
    layout->strides[d] = Py_ssize_t(strides[d]) * element;
    bytes *= layout->shape[d];
    repeats = repeats || (strides[d] == 0 && layout->shape[d] > 1);
  }
  const bool rows = is_dense(*layout, rank, element, false), columns = is_dense(*layout, rank, element, true);
  const auto asks = [&](int what) { return (flags & what) == what; };
  if ((asks(PyBUF_C_CONTIGUOUS) && !rows) || (asks(PyBUF_F_CONTIGUOUS) && !columns) ||
      (asks(PyBUF_ANY_CONTIGUOUS) && !rows && !columns) || (!asks(PyBUF_STRIDES) && !rows)) {
    PyErr_SetString(PyExc_BufferError, "the elements are not contiguous; use .copy()");
    return -1;
  }
  if (repeats && asks(PyBUF_WRITABLE)) {
    PyErr_SetString(PyExc_BufferError, "elements repeat, so the buffer is read-only; use .copy()");
    return -1;
  }
  static char nothing;
  view->buf = bytes == 0 ? &nothing : data;
  view->len = bytes, view->itemsize = element, view->readonly = repeats ? 1 : 0, view->ndim = rank;
  view->format = asks(PyBUF_FORMAT) ? const_cast<char*>(format_of(array.number)) : nullptr;
  view->shape = asks(PyBUF_ND) ? layout->shape : nullptr;
  view->strides = asks(PyBUF_STRIDES) ? layout->strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = layout.release();
  view->obj = Py_NewRef(self);
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<buffer_layout*>(view->internal); }

PyObject* to_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t count) { // array, versioned, read_only
  if (!has_arguments(count, 3, arguments, true)) return nullptr;
  const int32_t versioned = PyObject_IsTrue(arguments[1]);
  const uint32_t how = PyObject_IsTrue(arguments[2]) == 1 ? PRISM_DLPACK_READ_ONLY : 0;
  void* tensor = nullptr;
  if (!runs([&](prism_error** error) {
    return prism_array_to_dlpack(as_array(arguments[0])->handle, versioned, how, &tensor, error);
  }))
    return nullptr;
  return PyCapsule_New(tensor, versioned != 0 ? versioned_name : capsule_name, drop_capsule);
}

PyObject* from_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t count) { // capsule, device, copy
  const prism_device* device = nullptr;
  if (!has_arguments(count, 3, arguments, false) || !device_of(arguments[1], device)) return nullptr;
  const auto copy = int32_t(PyLong_AsLong(arguments[2]));
  if (PyErr_Occurred()) return nullptr;
  PyObject* const capsule = arguments[0];
  const bool versioned = PyCapsule_IsValid(capsule, versioned_name) != 0;
  if (!versioned && PyCapsule_IsValid(capsule, capsule_name) == 0) {
    PyErr_SetString(PyExc_BufferError,
                    "from_dlpack: __dlpack__() gave no capsule of DLPack, or one that was used");
    return nullptr;
  }
  void* const tensor = PyCapsule_GetPointer(capsule, versioned ? versioned_name : capsule_name);
  prism_array* made = nullptr;
  if (!runs([&](prism_error** error) {
    return prism_array_from_dlpack(tensor, versioned ? 1 : 0, device, copy, &made, error);
  }))
    return nullptr;
  PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor");
  return new_array(made);
}

PyObject* memory_to_dlpack(PyObject*, PyObject* const* arguments,
                           Py_ssize_t count) { // address of a view, owner, versioned
  if (!has_arguments(count, 3, arguments, false)) return nullptr;
  const auto* view = static_cast<const prism_view*>(PyLong_AsVoidPtr(arguments[0]));
  if (PyErr_Occurred()) return nullptr;
  if (PyObject_IsTrue(arguments[2]) != 1)
    return PyCapsule_New(tensor_over<DLManagedTensor>(*view, arguments[1]), capsule_name, drop_capsule);
  auto* tensor = tensor_over<DLManagedTensorVersioned>(*view, arguments[1]);
  tensor->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  return PyCapsule_New(tensor, versioned_name, drop_capsule);
}

namespace {

template <typename T>
T read_as(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// The element of that type in the bytes, as Python's number.
PyObject* number_of(int32_t type, const char* bytes) {
  switch (type) {
    case PRISM_BOOL: return PyBool_FromLong(*bytes != 0);
    case PRISM_S8: return PyLong_FromLong(read_as<std::int8_t>(bytes));
    case PRISM_S16: return PyLong_FromLong(read_as<std::int16_t>(bytes));
    case PRISM_S32: return PyLong_FromLong(read_as<std::int32_t>(bytes));
    case PRISM_S64: return PyLong_FromLongLong(read_as<std::int64_t>(bytes));
    case PRISM_U8: return PyLong_FromLong(read_as<std::uint8_t>(bytes));
    case PRISM_U16: return PyLong_FromLong(read_as<std::uint16_t>(bytes));
    case PRISM_U32: return PyLong_FromUnsignedLong(read_as<std::uint32_t>(bytes));
    case PRISM_U64: return PyLong_FromUnsignedLongLong(read_as<std::uint64_t>(bytes));
    case PRISM_F32: return PyFloat_FromDouble(read_as<float>(bytes));
    case PRISM_F64: return PyFloat_FromDouble(read_as<double>(bytes));
    case PRISM_C32: return PyComplex_FromDoubles(read_as<float>(bytes), read_as<float>(bytes + 4));
    default: return PyComplex_FromDoubles(read_as<double>(bytes), read_as<double>(bytes + 8));
  }
}

} // namespace

PyObject* item(PyObject*, PyObject* array) {
  if (!has_arguments(1, 1, &array, true) || !read_info(as_array(array))) return nullptr;
  char bytes[16];
  const auto size = std::size_t(element_bytes(as_array(array)->number));
  if (!runs([&](prism_error** error) {
    return prism_array_to_host(as_array(array)->handle, bytes, size, error);
  }))
    return nullptr;
  return number_of(as_array(array)->number, bytes);
}

PyObject* dlpack_device(PyObject*, PyObject* array) {
  int32_t type = 0, number = 0;
  if (!has_arguments(1, 1, &array, true) || !device_of_array(array, type, number)) return nullptr;
  return Py_BuildValue("ii", type, number);
}

PyObject* from_memory(PyObject*, PyObject* const* arguments,
                      Py_ssize_t count) { // address of a prism_view, owner
  if (!has_arguments(count, 2, arguments, false)) return nullptr;
  const auto* view = static_cast<const prism_view*>(PyLong_AsVoidPtr(arguments[0]));
  if (PyErr_Occurred()) return nullptr;
  prism_array* made = nullptr;
  Py_INCREF(arguments[1]);
  if (!runs([&](prism_error** error) {
    return prism_array_from_memory(view, drop_owner, arguments[1], &made, error);
  })) {
    Py_DECREF(arguments[1]);
    return nullptr;
  }
  return new_array(made);
}

PyObject* view(PyObject*, PyObject* const* arguments, Py_ssize_t count) { // array, key
  if (!has_arguments(count, 2, arguments, true)) return nullptr;
  PyObject* const key = arguments[1];
  const bool is_tuple = PyTuple_Check(key) != 0;
  const Py_ssize_t items = is_tuple ? PyTuple_Size(key) : 1;
  constexpr Py_ssize_t most = 2 * PRISM_MAX_RANK + 1; // with new axes and an ellipsis
  prism_index list[most];
  if (items > most) {
    PyErr_Format(PyExc_IndexError, "%zd items are too many for an index", items);
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < items; ++i)
    switch (index_item(is_tuple ? PyTuple_GetItem(key, i) : key, list[i])) {
      case item_kind::basic: break;
      case item_kind::other: return Py_NewRef(Py_NotImplemented);
      case item_kind::wrong: return nullptr;
    }
  const bool is_empty = items == 0;
  if (is_empty) list[0] = prism_index{PRISM_INDEX_ELLIPSIS, 0, 0, 0, 0, 0, 1};
  const prism_given given[2] = {
      {sizeof(prism_given), PRISM_GIVEN_ARRAY, 0, as_array(arguments[0])->handle, 0, {0, 0}},
      {sizeof(prism_given), PRISM_GIVEN_INDEX, int32_t(is_empty ? 1 : items), list, 0, {0, 0}}};
  prism_array* made = nullptr;
  if (!runs([&](prism_error** error) {
    return prism_array_call("view", nullptr, given, 2, &made, 1, nullptr, error);
  }))
    return nullptr;
  return new_array(made);
}

} // namespace prism_python
