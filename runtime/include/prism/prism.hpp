// PRISM's extensions of SYCL: selection of devices and variants, division of work, graphs, pipelines, tuning,
// profiling. See docs/selection.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/sycl.hpp>

#include <prism/algorithm.hpp>
#include <prism/arena.hpp>
#include <prism/backend.hpp>
#include <prism/description.hpp>
#include <prism/devices.hpp>
#include <prism/export_memory.hpp>
#include <prism/graph.hpp>
#include <prism/kernel_policy.hpp>
#include <prism/ledger.hpp>
#include <prism/performance_model.hpp>
#include <prism/pipeline.hpp>
#include <prism/policy.hpp>
#include <prism/prepare.hpp>
#include <prism/profile.hpp>
#include <prism/readings.hpp>
#include <prism/recovery.hpp>
#include <prism/reproducible.hpp>
#include <prism/scope.hpp>
#include <prism/selection.hpp>
#include <prism/source_kernel.hpp>
#include <prism/specialise.hpp>
#include <prism/spirv_kernel.hpp>
#include <prism/strategy.hpp>
#include <prism/task_batch.hpp>
#include <prism/task_graph.hpp>
#include <prism/tuner.hpp>
#include <prism/variants.hpp>
#include <prism/workload_of.hpp>
#include <prism/wrap.hpp>

#include <sycl/detail/user_macros_restore.hpp>
