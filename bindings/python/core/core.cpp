#include "bindings/python/core/core.hpp"

#include <algorithm>
#include <cstring>

namespace prism_python {

package python;
PyTypeObject* base_type = nullptr;

bool raised(prism_status status, prism_error* error) {
  // The message belongs to the error object.
  PyObject* text = PyUnicode_DecodeUTF8(prism_error_message(error),
                                        Py_ssize_t(std::strlen(prism_error_message(error))), "replace");
  prism_release(error, nullptr);
  if (text == nullptr) return false;
  PyObject* none = PyObject_CallFunction(python.raise, "iO", int(status), text);
  Py_DECREF(text);
  Py_XDECREF(none);
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "prism: a failure was not raised");
  return false;
}

PyObject* new_array(prism_array* handle) {
  PyObject* made = PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(python.array_class), 0);
  if (made == nullptr) {
    const unlocked now;
    prism_release(handle, nullptr);
    return nullptr;
  }
  as_array(made)->handle = handle;
  return made;
}

bool read_info(array_object* array) {
  if (array->shape != nullptr) return true;
  int32_t rank = 0;
  int64_t extents[PRISM_MAX_RANK];
  prism_error* error = nullptr;
  const prism_status status = prism_array_info(array->handle, &array->number, &rank, extents, &error);
  if (status != PRISM_OK) return raised(status, error);
  PyObject* number = PyLong_FromLong(array->number);
  PyObject* type = number == nullptr ? nullptr : PyDict_GetItemWithError(python.types, number);
  Py_XDECREF(number);
  if (type == nullptr) return false;
  PyObject* shape = PyTuple_New(rank);
  if (shape == nullptr) return false;
  for (int32_t d = 0; d < rank; ++d) PyTuple_SetItem(shape, d, PyLong_FromLongLong(extents[d]));
  Py_INCREF(type);
  array->type = type, array->shape = shape;
  return true;
}

bool device_of(PyObject* value, const prism_device*& to) {
  to = nullptr;
  if (value == nullptr || value == Py_None) return true;
  PyObject* handle = PyObject_GetAttrString(value, "_handle");
  PyObject* number = handle == nullptr ? nullptr : PyObject_GetAttrString(handle, "value");
  if (number != nullptr) to = static_cast<const prism_device*>(PyLong_AsVoidPtr(number));
  Py_XDECREF(handle);
  Py_XDECREF(number);
  return !PyErr_Occurred();
}

namespace {

template <typename T>
T* room_for(Py_ssize_t count, storage& alive) {
  alive.push_back(std::make_unique<char[]>(std::size_t(count) * sizeof(T) + 1));
  return reinterpret_cast<T*>(alive.back().get());
}

bool integer_of(PyObject* value, int64_t& to) {
  PyObject* whole = PyNumber_Index(value);
  if (whole == nullptr) return false;
  to = PyLong_AsLongLong(whole);
  Py_DECREF(whole);
  return !(to == -1 && PyErr_Occurred());
}

/// A text: the bytes of UTF-8, or bytes as they are. They live as long as `value`.
bool text_of(PyObject* value, const char*& first, Py_ssize_t& count) {
  if (PyUnicode_Check(value)) {
    first = PyUnicode_AsUTF8AndSize(value, &count);
    return first != nullptr;
  }
  char* bytes = nullptr;
  if (PyBytes_AsStringAndSize(value, &bytes, &count) != 0) return false;
  first = bytes;
  return true;
}
bool is_text(PyObject* value) { return PyUnicode_Check(value) || PyBytes_Check(value); }

bool give_text(prism_given& to, PyObject* value) {
  const char* first = nullptr;
  Py_ssize_t count = 0;
  if (!text_of(value, first, count)) return false;
  if (count > INT32_MAX) {
    PyErr_SetString(PyExc_OverflowError, "a text of more than 2^31 bytes");
    return false;
  }
  to.kind = PRISM_GIVEN_TEXT, to.data = first, to.count = int32_t(count);
  return true;
}

/// A tuple or list: arrays, texts, or integers.
bool give_sequence(prism_given& to, PyObject* value, storage& alive) {
  const bool is_tuple = PyTuple_Check(value);
  const Py_ssize_t count = is_tuple ? PyTuple_Size(value) : PyList_Size(value);
  const auto item = [&](Py_ssize_t i) {
    return is_tuple ? PyTuple_GetItem(value, i) : PyList_GetItem(value, i);
  };
  to.count = int32_t(count);
  if (count != 0 && is_array(item(0))) {
    auto** handles = room_for<prism_array*>(count, alive);
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!is_array(item(i))) {
        PyErr_SetString(PyExc_TypeError, "a list of arrays has an element that is no prism.Array");
        return false;
      }
      handles[i] = as_array(item(i))->handle;
    }
    to.kind = PRISM_GIVEN_ARRAYS, to.data = handles;
    return true;
  }
  if (count != 0 && is_text(item(0))) {
    auto** texts = room_for<const char*>(count, alive);
    for (Py_ssize_t i = 0; i < count; ++i) {
      Py_ssize_t bytes = 0;
      if (!text_of(item(i), texts[i], bytes)) return false;
      if (std::strlen(texts[i]) != std::size_t(bytes)) {
        PyErr_SetString(PyExc_ValueError, "a text has a zero byte");
        return false;
      }
    }
    to.kind = PRISM_GIVEN_TEXTS, to.data = texts;
    return true;
  }
  auto* numbers = room_for<int64_t>(count, alive);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!integer_of(item(i), numbers[i])) {
      if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(
            PyExc_TypeError,
            "a list with %R is no array and no list of integers; prism.asarray makes arrays of lists",
            item(i));
      return false;
    }
  to.kind = PRISM_GIVEN_LIST, to.data = numbers;
  return true;
}

/// Whether it is another library's array, with dimensions.
bool is_others(PyObject* value) {
  if (PyObject_HasAttrString(value, "__array__") == 0) return false;
  PyObject* rank = PyObject_GetAttrString(value, "ndim");
  const bool found = rank != nullptr && PyLong_Check(rank) && PyObject_IsTrue(rank) == 1;
  Py_XDECREF(rank);
  PyErr_Clear();
  return found;
}

/// The arguments with other libraries' arrays as PRISM's, on the device of the first that is; false with the
/// error set. `owned` keeps the converted ones alive.
struct references {
  std::vector<PyObject*> list;
  ~references() {
    for (PyObject* each : list) Py_DECREF(each);
  }
};
bool convert_others(PyObject** arguments, std::size_t count, references& owned) {
  PyObject* partner = Py_None;
  for (std::size_t i = count; i-- > 0;)
    if (is_array(arguments[i])) partner = arguments[i];
  for (std::size_t i = 0; i < count; ++i) {
    if (is_array(arguments[i]) || PyTuple_Check(arguments[i]) || !is_others(arguments[i])) continue;
    PyObject* made = PyObject_CallFunctionObjArgs(python.convert, partner, arguments[i], nullptr);
    if (made == nullptr) return false;
    owned.list.push_back(made), arguments[i] = made;
  }
  return true;
}

/// A sparse matrix of the package, by its handle. False, perhaps with the error set, for everything else.
bool give_sparse(prism_given& to, PyObject* value) {
  if (!PyObject_HasAttrString(value, "_sparse_handle")) return false;
  PyObject* handle = PyObject_GetAttrString(value, "_sparse_handle");
  if (handle == nullptr) return false;
  to.kind = PRISM_GIVEN_SPARSE, to.data = PyLong_AsVoidPtr(handle);
  Py_DECREF(handle);
  return !PyErr_Occurred();
}

/// What is no number of Python, but becomes one: by __index__, or by item() as NumPy's do.
bool give_converted(prism_given& to, PyObject* value, storage& alive) {
  if (give_sparse(to, value)) return true;
  if (PyErr_Occurred()) return false;
  PyObject* found = PyIndex_Check(value) ? PyNumber_Index(value) : nullptr;
  if (found == nullptr && !PyErr_Occurred() && PyObject_HasAttrString(value, "item"))
    found = PyObject_CallMethod(value, "item", nullptr);
  if (found == nullptr) {
    if (!PyErr_Occurred()) {
      PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
      PyErr_Format(PyExc_TypeError, "%R is no array and no number; prism.asarray makes arrays of other data",
                   type);
    }
    return false;
  }
  const bool is_number = PyLong_Check(found) || PyFloat_Check(found) || PyComplex_Check(found);
  const bool given = is_number && give(to, found, alive);
  if (!is_number) PyErr_SetString(PyExc_TypeError, "its item() is no number");
  Py_DECREF(found);
  return given;
}

PyObject* result(prism_array* const* made, std::size_t count) {
  PyObject* list = PyList_New(Py_ssize_t(count));
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* each = new_array(made[i]);
    if (list == nullptr || each == nullptr) Py_XDECREF(each);
    else PyList_SetItem(list, Py_ssize_t(i), each);
  }
  if (PyErr_Occurred()) Py_CLEAR(list);
  return list;
}

/// Puts the function's name and the argument's number in front of the error that is set.
void name_argument(const char* function, std::size_t number) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const bool is_known = PyErr_GivenExceptionMatches(type, PyExc_TypeError) != 0 ||
                        PyErr_GivenExceptionMatches(type, PyExc_OverflowError) != 0;
  if (!is_known) return PyErr_Restore(type, value, trace);
  PyErr_Format(type, "%s: argument %zu: %S", function, number, value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

/// Whether Python's integers among the values fit the first array. False with the error set.
bool integers_fit(PyObject* const* values, std::size_t count) {
  PyObject* const* const array = std::find_if(values, values + count, is_array);
  return array == values + count || std::all_of(values, values + count, [&](PyObject* each) {
    return !PyLong_Check(each) || integer_fits(*array, each);
  });
}

constexpr std::size_t most_arguments = 12, usual_results = 8;

/// call_all(name, *arguments, device=None): a list of the results.
PyObject* call_all(PyObject* self, PyObject* const* arguments, Py_ssize_t positional, PyObject* names);
/// call(name, *arguments, device=None): the only result.
PyObject* call(PyObject* self, PyObject* const* arguments, Py_ssize_t positional, PyObject* names);

/// The results; -1 with the error set. With more than `usual_results` they are in `more`.
int run(PyObject* const* arguments, Py_ssize_t positional, PyObject* names, prism_array** made,
        std::vector<prism_array*>& more) {
  const char* name = positional > 0 ? PyUnicode_AsUTF8AndSize(arguments[0], nullptr) : nullptr;
  if (name == nullptr) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "the function's name is missing");
    return -1;
  }
  const prism_device* device = nullptr;
  if (names != nullptr && PyTuple_Size(names) != 0) {
    if (PyTuple_Size(names) != 1 ||
        PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "device") != 0) {
      PyErr_SetString(PyExc_TypeError, "the only keyword is device");
      return -1;
    }
    if (!device_of(arguments[positional], device)) return -1;
  }
  const auto count = std::size_t(positional - 1);
  if (count > most_arguments) {
    PyErr_Format(PyExc_TypeError, "%s: %zu arguments", name, count);
    return -1;
  }
  PyObject* values[most_arguments];
  std::copy_n(arguments + 1, count, values);
  references owned;
  if (!convert_others(values, count, owned) || !integers_fit(values, count)) return -1;
  prism_given given[most_arguments];
  storage alive;
  for (std::size_t i = 0; i < count; ++i)
    if (!give(given[i], values[i], alive)) {
      name_argument(name, i);
      return -1;
    }
  std::size_t found = 0;
  if (!runs([&](prism_error** error) {
    const prism_status status =
        prism_array_call(name, device, given, count, made, usual_results, &found, error);
    if (status != PRISM_TOO_SMALL) return status;
    prism_release(*error, nullptr), *error = nullptr;
    more.resize(found);
    return prism_array_call(name, device, given, count, more.data(), more.size(), &found, error);
  }))
    return -1;
  return int(found);
}

PyObject* call_all(PyObject*, PyObject* const* arguments, Py_ssize_t positional, PyObject* names) {
  prism_array* made[usual_results];
  std::vector<prism_array*> more;
  const int count = run(arguments, positional, names, made, more);
  return count < 0 ? nullptr : result(more.empty() ? made : more.data(), std::size_t(count));
}
PyObject* call(PyObject*, PyObject* const* arguments, Py_ssize_t positional, PyObject* names) {
  prism_array* made[usual_results];
  std::vector<prism_array*> more;
  const int count = run(arguments, positional, names, made, more);
  if (count == 1) return new_array(made[0]);
  if (count >= 0) {
    Py_XDECREF(result(more.empty() ? made : more.data(), std::size_t(count)));
    if (!PyErr_Occurred()) PyErr_Format(PyExc_SystemError, "a function with %d results", count);
  }
  return nullptr;
}

PyObject* adopt(PyObject*, PyObject* handle) {
  void* value = PyLong_AsVoidPtr(handle);
  return PyErr_Occurred() ? nullptr : new_array(static_cast<prism_array*>(value));
}

/// setup(Array, DType, types, raise, convert)
PyObject* setup(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  PyObject** const kept[] = {&python.array_class, &python.type_class, &python.types, &python.raise,
                             &python.convert};
  if (count != 5 || !PyType_Check(arguments[0]) ||
      !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(arguments[0]), base_type) ||
      !PyDict_Check(arguments[2])) {
    PyErr_SetString(PyExc_TypeError, "setup(Array, DType, types, raise, convert)");
    return nullptr;
  }
  for (int i = 0; i < 5; ++i) {
    Py_INCREF(arguments[i]);
    Py_XDECREF(*kept[i]);
    *kept[i] = arguments[i];
  }
  Py_RETURN_NONE;
}

// ---- the type

PyObject* made_by_functions_only(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "arrays are made by functions: prism.asarray(data), prism.zeros(shape), ...");
  return nullptr;
}

void destroy(PyObject* self) {
  array_object* array = as_array(self);
  PyTypeObject* type = Py_TYPE(self);
  Py_CLEAR(array->type);
  Py_CLEAR(array->shape);
  if (array->handle != nullptr) {
    const unlocked now;
    prism_release(array->handle, nullptr);
  }
  auto* const free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(self);
  Py_DECREF(type);
}

PyObject* get_shape(PyObject* self, void*) {
  if (!read_info(as_array(self))) return nullptr;
  return Py_NewRef(as_array(self)->shape);
}
PyObject* get_type(PyObject* self, void*) {
  if (!read_info(as_array(self))) return nullptr;
  return Py_NewRef(as_array(self)->type);
}
PyObject* get_rank(PyObject* self, void*) {
  if (!read_info(as_array(self))) return nullptr;
  return PyLong_FromSsize_t(PyTuple_Size(as_array(self)->shape));
}
/// A view by a basic index; Array._item() does the others, and names what is wrong.
PyObject* subscript(PyObject* self, PyObject* key) {
  PyObject* const arguments[] = {self, key};
  PyObject* const made = view(nullptr, arguments, 2);
  if (made != nullptr && made != Py_NotImplemented) return made;
  Py_XDECREF(made);
  PyErr_Clear();
  return PyObject_CallMethod(self, "_item", "(O)", key);
}
PyObject* get_pointer(PyObject* self, void*) {
  prism_view out{};
  out.struct_size = sizeof out;
  if (!runs([&](prism_error** error) { return prism_array_view(as_array(self)->handle, &out, error); }))
    return nullptr;
  return PyLong_FromVoidPtr(out.data);
}
PyObject* get_value(PyObject* self, void*) { return PyLong_FromVoidPtr(as_array(self)->handle); }

PyGetSetDef attributes[] = {{"shape", get_shape, nullptr, "The extents.", nullptr},
                            {"dtype", get_type, nullptr, "The type of the elements.", nullptr},
                            {"ndim", get_rank, nullptr, "The number of dimensions.", nullptr},
                            {"pointer", get_pointer, nullptr,
                             "The address of the first element in the device's memory. Evaluates and waits.",
                             nullptr},
                            {"_value", get_value, nullptr, "The handle of prism.h.", nullptr},
                            {}};

template <typename Function>
PyCFunction as_method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"call", as_method(call), METH_FASTCALL | METH_KEYWORDS, "The result of a function of arrays."},
    {"call_all", as_method(call_all), METH_FASTCALL | METH_KEYWORDS,
     "The results of a function of arrays, a list."},
    {"array", adopt, METH_O, "The array that owns a handle of prism.h."},
    {"view", as_method(view), METH_FASTCALL, "A view by a basic index; NotImplemented for other indices."},
    {"to_dlpack", as_method(to_dlpack), METH_FASTCALL, "A capsule of DLPack."},
    {"from_dlpack", as_method(from_dlpack), METH_FASTCALL, "An array of a capsule of DLPack."},
    {"memory_to_dlpack", as_method(memory_to_dlpack), METH_FASTCALL,
     "A capsule of DLPack over a prism.Memory."},
    {"item", item, METH_O, "The only element, as Python's number."},
    {"dlpack_device", dlpack_device, METH_O, "DLPack's name of an array's device."},
    {"from_memory", as_method(from_memory), METH_FASTCALL, "An array over the elements of a prism.Memory."},
    {"setup", as_method(setup), METH_FASTCALL, "Called once, by the package."},
    {}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "prism._core",
                          "The compiled part of the package prism.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

} // namespace

bool integer_fits(PyObject* array, PyObject* number) {
  int overflow = 0;
  if (PyBool_Check(number)) return true;
  if (PyLong_AsLongLongAndOverflow(number, &overflow) == -1 && PyErr_Occurred()) return false;
  if (overflow == 0) return true;
  if (!read_info(as_array(array))) return false;
  const std::int32_t type = as_array(array)->number, kind = type & 0xff;
  if (kind == (PRISM_F32 & 0xff) || kind == (PRISM_C32 & 0xff)) return true;
  if (type == PRISM_U64 && overflow > 0) {
    PyLong_AsUnsignedLongLong(number);
    if (!PyErr_Occurred()) return true;
    PyErr_Clear();
  }
  PyErr_Format(PyExc_OverflowError, "the integer %S does not fit %S", number, as_array(array)->type);
  return false;
}

bool give(prism_given& to, PyObject* value, storage& alive) {
  to = prism_given{sizeof(prism_given), PRISM_GIVEN_NOTHING, 0, nullptr, 0, {0, 0}};
  if (value == Py_None) return true;
  if (is_array(value)) {
    to.kind = PRISM_GIVEN_ARRAY, to.data = as_array(value)->handle;
  } else if (PyBool_Check(value)) {
    to.kind = PRISM_GIVEN_BOOL, to.integer = value == Py_True;
  } else if (PyLong_Check(value)) {
    int overflow = 0;
    to.kind = PRISM_GIVEN_INTEGER, to.integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) return !PyErr_Occurred();
    const std::uint64_t bits = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
    if (overflow > 0 && !PyErr_Occurred()) to.kind = PRISM_GIVEN_UNSIGNED, to.integer = std::int64_t(bits);
    else PyErr_Clear(), to.kind = PRISM_GIVEN_REAL, to.number[0] = PyLong_AsDouble(value);
    return !PyErr_Occurred();
  } else if (PyFloat_Check(value)) {
    to.kind = PRISM_GIVEN_REAL, to.number[0] = PyFloat_AsDouble(value);
  } else if (PyComplex_Check(value)) {
    to.kind = PRISM_GIVEN_COMPLEX;
    to.number[0] = PyComplex_RealAsDouble(value), to.number[1] = PyComplex_ImagAsDouble(value);
  } else if (reinterpret_cast<PyObject*>(Py_TYPE(value)) == python.type_class) {
    PyObject* number = PyObject_GetAttrString(value, "number");
    if (number == nullptr) return false;
    to.kind = PRISM_GIVEN_TYPE, to.integer = PyLong_AsLongLong(number);
    Py_DECREF(number);
  } else if (PyTuple_Check(value) || PyList_Check(value)) return give_sequence(to, value, alive);
  else if (is_text(value)) return give_text(to, value);
  else return give_converted(to, value, alive);
  return true;
}

} // namespace prism_python

using namespace prism_python;

PyMODINIT_FUNC PyInit__core() {
  std::vector<PyType_Slot> slots{{Py_tp_new, reinterpret_cast<void*>(made_by_functions_only)},
                                 {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                                 {Py_tp_getset, attributes},
                                 {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
                                 {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                                 {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)}};
  for (const PyType_Slot* each = operator_slots; each->slot != 0; ++each) slots.push_back(*each);
  slots.push_back({0, nullptr});
  PyType_Spec spec{"prism._core.Base", sizeof(array_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                   slots.data()};
  PyObject* made = PyType_FromSpec(&spec);
  PyObject* module = made == nullptr ? nullptr : PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  base_type = reinterpret_cast<PyTypeObject*>(made);
  if (PyModule_AddObjectRef(module, "Base", made) != 0) return nullptr;
  return module;
}
