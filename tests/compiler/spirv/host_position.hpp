// The work-item whose ids the reserved functions return when a kernel runs as ordinary code.
#pragma once

#include <cstdint>

struct work_item_position {
  std::uint64_t local[3], group[3], size[3], count[3];
};
extern work_item_position host_position;
