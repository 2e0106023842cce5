// Rows of the workload's kernels: PRISM's against those of another side on the same device.
#pragma once

#include "bench/rows.hpp"

namespace bench {

struct kernel_rows {
  std::string subject, theirs_name;
  goal (*wanted)(kernel_id kernel, const sycl::device& device);
};

/// One row for each kernel whose results both sides have right. A kernel of ours that faults fails its row;
/// the others run on a new queue, or fail with it where the driver has ended the device. A fault of theirs is
/// thrown.
void add_kernel_rows(report& out, const options& how, const workload& work, const sycl::device& device,
                     kernel_set& theirs, const kernel_rows& rows);

} // namespace bench
