#include "bench/child.hpp"
#include "bench/rows.hpp"

namespace bench {

void measure_start(report& out, const options& how, const sycl::device& device) try {
  const std::string name = driver_name(device);
  const std::string api = backend_name(device);
  const std::vector<std::string> selected{selector(device)};
  const std::string ours = how.programs + "/prism-bench-start",
                    theirs = how.programs + "/prism-bench-start-" + api;
  const std::string raw = api == "host" ? "a program that does nothing"
                                        : "a program that starts the raw platform, device and queue";
  run_child({ours, "kernel"},
            selected); // fills the caches, so that every measured start is a second one
  const auto compare = [&](const char* what, const std::string& described, goal wanted) {
    out.add({"start", what, label(device), described, raw,
             alternate(how.rounds, [&] { return run_child({ours, what}, selected); },
                       [&] { return run_child({theirs, name}); }),
             wanted});
  };
  compare("queue", "a SYCL program that makes a queue", {goal::kind::excess, 20e-3});
  compare("kernel", "a SYCL program that runs a kernel", {goal::kind::excess, 20e-3});
  // The second start of a program that uses one kernel but contains ten or a hundred times as many.
  const auto start_of = [&](int kernels) {
    return [&, kernels] {
      return run_child({how.programs + "/prism-start-" + std::to_string(kernels), "7"}, selected);
    };
  };
  for (int kernels : {100, 1000})
    out.add({"start",
             std::to_string(kernels),
             label(device),
             "a program of " + std::to_string(kernels) + " kernels that runs one of them",
             "the same of 10 kernels",
             alternate(how.rounds, start_of(kernels), start_of(10)),
             {goal::kind::excess, 20e-3}});
} catch (const std::exception& error) {
  out.skip("start", label(device), error.what(), true);
}

} // namespace bench
