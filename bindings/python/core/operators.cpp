// The operators of prism.Array: each calls the function of arrays with its name.
#include "bindings/python/core/core.hpp"

namespace prism_python {
namespace {

bool is_number(PyObject* value) {
  return PyFloat_Check(value) || PyLong_Check(value) || PyComplex_Check(value); // bool is an int
}

/// The place of the type's kind in the order in which types promote: bool, unsigned, signed, real, complex.
int kind_order(const array_object& array) {
  switch (array.number & 0xff) {
    case PRISM_U32 & 0xff: return 1;
    case PRISM_S32 & 0xff: return 2;
    case PRISM_F32 & 0xff: return 3;
    case PRISM_C32 & 0xff: return 4;
    default: return 0;
  }
}

/// What stands for `value` next to the array, as an argument; `owned` keeps it alive. Null with the error
/// set, or without one where the operator has no meaning.
PyObject* operand(PyObject* array, PyObject* value) {
  if (is_array(value)) return Py_NewRef(value);
  if (is_number(value))
    return PyLong_Check(value) && !integer_fits(array, value) ? nullptr : Py_NewRef(value);
  if (!PyObject_HasAttrString(value, "__array__")) return nullptr;
  return PyObject_CallFunctionObjArgs(python.convert, array, value, nullptr);
}

PyObject* not_implemented_or_error() {
  if (PyErr_Occurred()) return nullptr;
  return Py_NewRef(Py_NotImplemented);
}

PyObject* call_two(const char* function, PyObject* a, PyObject* b) {
  PyObject* const array = is_array(a) ? a : b;
  PyObject* const left = a == array ? Py_NewRef(a) : operand(array, a);
  PyObject* const right = left == nullptr ? nullptr : b == array ? Py_NewRef(b) : operand(array, b);
  PyObject* out = nullptr;
  if (right != nullptr) {
    prism_given given[2];
    storage alive; // numbers and arrays need none
    prism_array* made = nullptr;
    if (give(given[0], left, alive) && give(given[1], right, alive) && runs([&](prism_error** error) {
      return prism_array_call(function, nullptr, given, 2, &made, 1, nullptr, error);
    }))
      out = new_array(made);
  } else out = not_implemented_or_error();
  Py_XDECREF(left);
  Py_XDECREF(right);
  return out;
}

PyObject* call_one(const char* function, PyObject* a) {
  const prism_given given{sizeof(prism_given), PRISM_GIVEN_ARRAY, 0, as_array(a)->handle, 0, {0, 0}};
  prism_array* made = nullptr;
  if (!runs([&](prism_error** error) {
    return prism_array_call(function, nullptr, &given, 1, &made, 1, nullptr, error);
  }))
    return nullptr;
  return new_array(made);
}

/// Whether the elements of `a` can be those of `value`, as NumPy's casting "same_kind" has it, and are as
/// many. False with the error set.
bool holds(const char* function, array_object* a, array_object* value) {
  if (!read_info(a) || !read_info(value)) return false;
  if (kind_order(*value) > kind_order(*a)) {
    PyErr_Format(PyExc_TypeError,
                 "%s in place: the result is %S, which an array of %S does not hold; write x = x ...",
                 function, value->type, a->type);
    return false;
  }
  const int same = PyObject_RichCompareBool(a->shape, value->shape, Py_EQ);
  if (same == 0)
    PyErr_Format(PyExc_ValueError, "%s in place: the result has the shape %S, and the array %S", function,
                 value->shape, a->shape);
  return same == 1;
}

/// a = function(a, b), in the elements of a.
PyObject* call_in_place(const char* function, PyObject* a, PyObject* b) {
  PyObject* const value = call_two(function, a, b);
  if (value == nullptr || value == Py_NotImplemented) return value;
  if (!holds(function, as_array(a), as_array(value))) {
    Py_DECREF(value);
    return nullptr;
  }
  const prism_given given[2] = {
      {sizeof(prism_given), PRISM_GIVEN_ARRAY, 0, as_array(a)->handle, 0, {0, 0}},
      {sizeof(prism_given), PRISM_GIVEN_ARRAY, 0, as_array(value)->handle, 0, {0, 0}}};
  const bool done = runs([&](prism_error** error) {
    return prism_array_call("overwrite", nullptr, given, 2, nullptr, 0, nullptr, error);
  });
  Py_DECREF(value);
  return done ? Py_NewRef(a) : nullptr;
}

#define PRISM_BINARY(name, function)                                                                         \
  PyObject* name(PyObject* a, PyObject* b) { return call_two(function, a, b); }                              \
  PyObject* name##_in_place(PyObject* a, PyObject* b) { return call_in_place(function, a, b); }
PRISM_BINARY(add, "add")
PRISM_BINARY(subtract, "subtract")
PRISM_BINARY(multiply, "multiply")
PRISM_BINARY(true_divide, "divide")
PRISM_BINARY(floor_divide, "floor_divide")
PRISM_BINARY(remainder, "remainder")
PRISM_BINARY(bit_and, "bitwise_and")
PRISM_BINARY(bit_or, "bitwise_or")
PRISM_BINARY(bit_xor, "bitwise_xor")
PRISM_BINARY(left_shift, "bitwise_left_shift")
PRISM_BINARY(right_shift, "bitwise_right_shift")
#undef PRISM_BINARY
PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  return modulus == Py_None ? call_two("power", a, b) : Py_NewRef(Py_NotImplemented);
}
PyObject* power_in_place(PyObject* a, PyObject* b, PyObject*) { return call_in_place("power", a, b); }
PyObject* matrix_multiply(PyObject* a, PyObject* b) {
  if (is_number(a) || is_number(b)) return Py_NewRef(Py_NotImplemented);
  return call_two("matmul", a, b);
}
PyObject* matrix_multiply_in_place(PyObject* a, PyObject* b) {
  return is_number(b) ? Py_NewRef(Py_NotImplemented) : call_in_place("matmul", a, b);
}

PyObject* negative(PyObject* a) { return call_one("negative", a); }
PyObject* positive(PyObject* a) { return call_one("positive", a); }
PyObject* absolute(PyObject* a) { return call_one("abs", a); }
PyObject* invert(PyObject* a) { return call_one("bitwise_invert", a); }

PyObject* compare(PyObject* a, PyObject* b, int how) {
  static const char* const functions[] = {"less",      "less_equal", "equal",
                                          "not_equal", "greater",    "greater_equal"};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  return call_two(functions[how], a, b);
}

template <typename Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

} // namespace

PyType_Slot operator_slots[] = {{Py_nb_add, slot(add)},
                                {Py_nb_subtract, slot(subtract)},
                                {Py_nb_multiply, slot(multiply)},
                                {Py_nb_true_divide, slot(true_divide)},
                                {Py_nb_floor_divide, slot(floor_divide)},
                                {Py_nb_remainder, slot(remainder)},
                                {Py_nb_power, slot(power)},
                                {Py_nb_and, slot(bit_and)},
                                {Py_nb_or, slot(bit_or)},
                                {Py_nb_xor, slot(bit_xor)},
                                {Py_nb_lshift, slot(left_shift)},
                                {Py_nb_rshift, slot(right_shift)},
                                {Py_nb_matrix_multiply, slot(matrix_multiply)},
                                {Py_nb_inplace_add, slot(add_in_place)},
                                {Py_nb_inplace_subtract, slot(subtract_in_place)},
                                {Py_nb_inplace_multiply, slot(multiply_in_place)},
                                {Py_nb_inplace_true_divide, slot(true_divide_in_place)},
                                {Py_nb_inplace_floor_divide, slot(floor_divide_in_place)},
                                {Py_nb_inplace_remainder, slot(remainder_in_place)},
                                {Py_nb_inplace_power, slot(power_in_place)},
                                {Py_nb_inplace_and, slot(bit_and_in_place)},
                                {Py_nb_inplace_or, slot(bit_or_in_place)},
                                {Py_nb_inplace_xor, slot(bit_xor_in_place)},
                                {Py_nb_inplace_lshift, slot(left_shift_in_place)},
                                {Py_nb_inplace_rshift, slot(right_shift_in_place)},
                                {Py_nb_inplace_matrix_multiply, slot(matrix_multiply_in_place)},
                                {Py_nb_negative, slot(negative)},
                                {Py_nb_positive, slot(positive)},
                                {Py_nb_absolute, slot(absolute)},
                                {Py_nb_invert, slot(invert)},
                                {Py_tp_richcompare, slot(compare)},
                                {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
                                {0, nullptr}};

} // namespace prism_python
