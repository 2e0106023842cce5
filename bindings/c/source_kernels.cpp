// prism_kernel_create: kernels of texts in OpenCL C and SPIR-V.
#include "bindings/c/objects.hpp"

#include <algorithm>
#include <string_view>

namespace prism::c_interface {
namespace {

/// Names of types: those of prism_kernel_text and of OpenCL C. 0: none of them.
std::int32_t type_named(const std::string& name) {
  constexpr std::pair<std::string_view, std::int32_t> others[] = {
      {"char", PRISM_S8},    {"uchar", PRISM_U8},   {"short", PRISM_S16}, {"ushort", PRISM_U16},
      {"int", PRISM_S32},    {"uint", PRISM_U32},   {"long", PRISM_S64},  {"ulong", PRISM_U64},
      {"float2", PRISM_C32}, {"double2", PRISM_C64}};
  for (const auto& [other, type] : others)
    if (name == other) return type;
  for (const std::int32_t type : {PRISM_F16, PRISM_F32, PRISM_F64, PRISM_C32, PRISM_C64, PRISM_S8, PRISM_U8,
                                  PRISM_S16, PRISM_U16, PRISM_S32, PRISM_U32, PRISM_S64, PRISM_U64})
    if (name == name_of_type(type)) return type;
  return 0;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

bool take_prefix(std::string& text, std::string_view prefix) {
  if (text.rfind(prefix, 0) != 0) return false;
  text.erase(0, prefix.size());
  return true;
}

std::int32_t required_type(const std::string& kernel, std::size_t number, const std::string& name) {
  const std::int32_t type = type_named(name);
  if (type == 0)
    throw failure(PRISM_INVALID,
                  "\"" + kernel + "\": parameter " + std::to_string(number) + " is of \"" + name +
                      "\"; parameters are half, float, double, complex float, complex double, int8 "
                      "to int64, uint8 to uint64, pointers to them and local memory of them");
  return type;
}

/// "float, const float*, local int32"
std::vector<exported::parameter> parameters_in(const std::string& kernel, std::string_view text) {
  std::vector<exported::parameter> out;
  if (trimmed(text).empty()) return out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string each = trimmed(text.substr(at, end - at));
    at = end + 1;
    exported::parameter p;
    if (take_prefix(each, "local ")) p.what = exported::kind::local;
    else if (!each.empty() && each.back() == '*') {
      p.what = exported::kind::pointer, p.is_const = take_prefix(each, "const ");
      each.pop_back();
    }
    p.type = required_type(kernel, out.size(), trimmed(each));
    out.push_back(p);
  }
  return out;
}

std::vector<exported::parameter> parameters_of(const source_kernel& kernel) {
  std::vector<exported::parameter> out;
  for (const source_parameter& from : kernel.parameters()) {
    std::string type = from.type;
    if (!type.empty() && type.back() == '*') type.pop_back();
    exported::parameter p;
    p.what = from.what == source_parameter::kind::value     ? exported::kind::value
             : from.what == source_parameter::kind::pointer ? exported::kind::pointer
                                                            : exported::kind::local;
    p.is_const = from.is_const && p.what == exported::kind::pointer;
    p.type = required_type(kernel.name(), out.size(), trimmed(type));
    out.push_back(p);
  }
  return out;
}

void describe(kernel_object& kernel, std::vector<exported::parameter> parameters) {
  kernel.parameters = std::move(parameters);
  kernel.own.parameters = kernel.parameters.data(), kernel.own.parameter_count = kernel.parameters.size();
}

source_kernel built(const sycl::device& on, const char* language, const std::string& text, const char* name) {
  try {
    return {on, language, text, name};
  } catch (const sycl::exception& e) {
    if (e.code() == sycl::errc::build)
      throw failure(PRISM_INVALID, std::string("\"") + name + "\": the text does not build: " + e.what());
    throw;
  }
}

/// Those that the caller states must be those that the driver knows.
void set_parameters(kernel_object& kernel, const char* stated) {
  const source_kernel& source = *kernel.source;
  if (stated == nullptr && !source.knows_parameters())
    throw failure(PRISM_INVALID, "the driver does not know the parameters of \"" + source.name() +
                                     "\"; state them in `parameters`, such as \"float*, uint32\"");
  std::string known;
  if (source.knows_parameters()) {
    describe(kernel, parameters_of(source));
    known = signature_of(kernel);
  }
  if (stated == nullptr) return;
  describe(kernel, parameters_in(source.name(), stated));
  if (!known.empty() && signature_of(kernel) != known)
    throw failure(PRISM_INVALID,
                  "`parameters` state " + signature_of(kernel) + ", and the text has " + known);
}

} // namespace
} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_kernel_create(const prism_device* device, const char* language, const void* text,
                                 size_t bytes, const char* name, int32_t dimensions, const char* parameters,
                                 prism_kernel** kernel, prism_error** error) {
  return guarded("prism_kernel_create", error, [&] {
    const sycl::device on = device_of(device);
    required(language, "language"), required(text, "text"), required(name, "name"),
        required(kernel, "kernel");
    if (dimensions < 1 || dimensions > 3)
      throw failure(PRISM_INVALID, "dimensions is " + std::to_string(dimensions) + ", not 1, 2 or 3");
    auto made = std::make_shared<kernel_object>();
    made->source = built(on, language, std::string(static_cast<const char*>(text), bytes), name);
    made->own.name = made->source->name().c_str(), made->own.dimensions = dimensions;
    made->what = &made->own;
    set_parameters(*made, parameters);
    store(kernel, made);
  });
}
}
