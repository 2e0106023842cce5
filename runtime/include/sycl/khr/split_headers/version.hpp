// The extension sycl_khr_split_headers: only the macros of versions, backends and extensions.
#pragma once

#include <sycl/version.hpp>
