// prism._core: the part of the package `prism` that programs call most, as a compiled module over prism.h:
// arrays as objects, their operators, calls of functions of arrays, buffers and DLPack. The rest of the
// package calls prism.h by ctypes.
//
// The module uses Python's stable interface of 3.11, so one build serves that version and all later ones. It
// does not link to libprism-c: `_c.py` loads that library first and makes its functions global.
//
// Every call of prism.h that may wait gives up the interpreter's lock: the deleters of other libraries'
// arrays take it, and may run while a device is locked.
#pragma once

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <prism.h>

#include <memory>
#include <vector>

namespace prism_python {

/// An instance of _core.Base, and so of prism.Array.
struct array_object {
  PyObject_HEAD prism_array* handle;
  PyObject *type, *shape; // null until they are asked for
  int32_t number;         // of the type: PRISM_F32, ...
};

/// What the package gives to the module by setup().
struct package {
  PyObject* array_class = nullptr; // prism.Array
  PyObject* type_class = nullptr;  // prism.DType
  PyObject* types = nullptr;       // by number
  PyObject* raise = nullptr;       // raise(status, text)
  PyObject* convert = nullptr;     // convert(array, value): another library's value as an array
};
extern package python;
extern PyTypeObject* base_type;

inline bool is_array(PyObject* value) { return PyObject_TypeCheck(value, base_type) != 0; }
inline array_object* as_array(PyObject* value) { return reinterpret_cast<array_object*>(value); }

/// Gives up the interpreter's lock in its scope.
struct unlocked {
  PyThreadState* const state = PyEval_SaveThread();
  ~unlocked() { PyEval_RestoreThread(state); }
};

/// Calls `function(&error)`, a function of prism.h. False with Python's error set if it fails.
bool raised(prism_status status, prism_error* error);
template <typename Function>
bool runs(const Function& function) {
  prism_error* error = nullptr;
  prism_status status;
  {
    const unlocked now;
    status = function(&error);
  }
  return status == PRISM_OK || raised(status, error);
}

/// A prism.Array that owns the handle; null with the error set, and the handle released, without memory.
PyObject* new_array(prism_array* handle);
/// Reads type and shape. False with the error set.
bool read_info(array_object* array);

/// An argument of a function of arrays. `alive` owns what `to` points to. False with the error set.
using storage = std::vector<std::unique_ptr<char[]>>;
bool give(prism_given& to, PyObject* value, storage& alive);
/// Whether an integer of Python can stand next to the array. False with the error set.
bool integer_fits(PyObject* array, PyObject* number);
/// The handle of a prism.Device, or null for None. False with the error set.
bool device_of(PyObject* value, const prism_device*& to);

extern PyType_Slot operator_slots[]; // ends with a slot of 0
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

PyObject* to_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t count);
PyObject* memory_to_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t count);
PyObject* from_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t count);
PyObject* dlpack_device(PyObject*, PyObject* array);
PyObject* item(PyObject*, PyObject* array);
PyObject* from_memory(PyObject*, PyObject* const* arguments, Py_ssize_t count);
PyObject* view(PyObject*, PyObject* const* arguments, Py_ssize_t count);

} // namespace prism_python
