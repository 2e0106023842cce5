// Reductions, scans, sorting and algorithms based on them, on every device (docs/operations-primitives.md).
//
// Every function takes an execution first, to which a sycl::queue converts, and `depends` last: events after
// which the call's first command runs. It returns the event of its last command and never blocks. Operands
// are vector views (<prism/views.hpp>) over USM pointers or buffers, in any mixture, with any stride. Counts
// and indices have 64 bits. Functions that the caller passes run on the device: they are compiled by prism++
// with the caller's program.
//
// Errors: invalid views and extents that do not match are refused at once with errc::invalid. Errors on the
// device are reported as for every command. Functions may be called from any thread.
#pragma once

#include <prism/primitives/elementwise.hpp>
#include <prism/primitives/histogram.hpp>
#include <prism/primitives/reduce.hpp>
#include <prism/primitives/reduce_axis.hpp>
#include <prism/primitives/scan.hpp>
#include <prism/primitives/segmented.hpp>
#include <prism/primitives/select.hpp>
#include <prism/primitives/sort.hpp>
#include <prism/primitives/top_k.hpp>
