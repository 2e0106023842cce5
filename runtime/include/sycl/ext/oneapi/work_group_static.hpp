// DPC++'s place of the extension sycl_ext_oneapi_work_group_static.
#pragma once

#include <sycl/ext/oneapi/experimental/work_group_static.hpp>
