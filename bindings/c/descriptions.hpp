// Described devices and workloads as functions of prism.h receive them. Any thread. The functions throw
// failure and sycl::exception (invalid) for what they cannot read.
#pragma once

#include "bindings/c/objects.hpp"

#include <prism/description.hpp>
#include <prism/policy.hpp>

namespace prism::c_interface {

/// NULL: a job of medium size.
workload workload_of(const prism_workload* given, const char* name);
/// The described devices of a YAML or JSON text; NULL: the devices of this process.
std::vector<device_description> descriptions_of(const char* given);
/// The one described device of a text.
device_description description_of(const char* given, const char* name);

} // namespace prism::c_interface
