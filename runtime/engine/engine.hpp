// The engine: what the SYCL classes (runtime/api) ask of the runtime, and nothing else. Everything below this
// header knows no SYCL type; everything above it knows no driver.
//
// Guarantees: every call is thread-safe; no user code runs under a lock; errors before submission are thrown
// as prism::error, later ones are stored in the command and thrown by wait() or collected by take_failures().
// Costs: a submit whose waits belong to the same driver makes no thread switch.
#pragma once

#include "runtime/engine/buffer.hpp"
#include "runtime/engine/command_group.hpp"
#include "runtime/engine/device.hpp"
#include "runtime/engine/error.hpp"
#include "runtime/engine/graph.hpp"
#include "runtime/engine/host_code.hpp"
#include "runtime/engine/interop.hpp"
#include "runtime/engine/kernel.hpp"
#include "runtime/engine/usm.hpp"
