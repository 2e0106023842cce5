// All SYCL built-in functions (SYCL 2020, "SYCL built-in functions").
#pragma once

#include <sycl/math_common.hpp>
#include <sycl/math_float.hpp>
#include <sycl/math_geometric.hpp>
#include <sycl/math_integer.hpp>
#include <sycl/math_relational.hpp>
