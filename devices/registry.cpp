#include "devices/api/backend.hpp"

namespace prism::image {

const char* feature_name(feature f) {
  switch (f) {
  case fp16: return "fp16";
  case fp64: return "fp64";
  case int8: return "int8";
  case int16: return "int16";
  case int64: return "int64";
  case int64_atomics: return "int64_atomics";
  case float_atomic_add: return "float_atomic_add";
  case addresses: return "addresses";
  case memory_model: return "memory_model";
  case sub_groups: return "sub_groups";
  case signed_zero_inf_nan: return "signed_zero_inf_nan";
  case fp16_storage: return "fp16_storage";
  }
  return "unknown feature";
}

} // namespace prism::image
