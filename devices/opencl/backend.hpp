// The OpenCL backend's record: every device of every installed OpenCL driver that works.
//
// Skipped without an error, with the reason in the probe's result: the platform "Clover" (superseded by
// rusticl, and its devices crash), platforms without devices, and devices that are unavailable, have no
// compiler, are big-endian, are older than OpenCL 1.2, or lack 64-bit integers.
#pragma once

#include "devices/api/backend.hpp"

namespace prism::devices {

const backend& opencl_backend();

} // namespace prism::devices
