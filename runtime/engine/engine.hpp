// The engine: the complete interface between the SYCL classes (runtime/api) and the runtime. Code below this
// header uses no SYCL type; code above it calls no driver.
//
// Guarantees: every call is thread-safe. No user code runs under a lock. Errors found before submission are
// thrown as prism::error; later errors are stored in the command, where wait() throws them or take_failures()
// collects them.
// Cost: submitting a command causes no thread switch if all commands it waits for belong to the same driver.
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
