// A header of the extension sycl_khr_split_headers: the part of SYCL 2020 that its name states, for programs
// that do not want all of <sycl/sycl.hpp>.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/math_float.hpp>

#include <sycl/detail/user_macros_restore.hpp>
