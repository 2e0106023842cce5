// What the files with kernels of operations and arrays begin with, precompiled for both libraries
// (cmake/PrismPrecompiled.cmake). Each file also includes what it uses.
#pragma once

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/blas/operand.hpp"
