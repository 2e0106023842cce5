// Device selectors (SYCL 2020, "Device selector"): the standard objects, aspect_selector, and the class names
// of SYCL 1.2.1. Any callable int(const device&) is a selector; a device with a negative score is never
// chosen.
#pragma once

#include <sycl/device.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
int rank_default(const device& candidate);
int rank_by_type(const device& candidate, aspect type);
int rank_by_aspects(const device& candidate, const std::vector<aspect>& wanted,
                    const std::vector<aspect>& denied);
} // namespace detail

/// The base class of a program's selector classes (SYCL 1.2.1).
class device_selector {
public:
  virtual ~device_selector() = default;
  virtual int operator()(const device& candidate) const = 0;
  device select_device() const;
};

class [[deprecated("use sycl::default_selector_v")]] default_selector : public device_selector {
public:
  int operator()(const device& candidate) const override { return detail::rank_default(candidate); }
};
class [[deprecated("use sycl::cpu_selector_v")]] cpu_selector : public device_selector {
public:
  int operator()(const device& candidate) const override {
    return detail::rank_by_type(candidate, aspect::cpu);
  }
};
class [[deprecated("use sycl::gpu_selector_v")]] gpu_selector : public device_selector {
public:
  int operator()(const device& candidate) const override {
    return detail::rank_by_type(candidate, aspect::gpu);
  }
};
class [[deprecated("use sycl::accelerator_selector_v")]] accelerator_selector : public device_selector {
public:
  int operator()(const device& candidate) const override {
    return detail::rank_by_type(candidate, aspect::accelerator);
  }
};
class [[deprecated("use a selector of the backend")]] host_selector : public device_selector {
public:
  int operator()(const device& candidate) const override {
    return candidate.get_backend() == backend::ext_prism_host ? 1000 : -1;
  }
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
inline const default_selector default_selector_v{};
inline const cpu_selector cpu_selector_v{};
inline const gpu_selector gpu_selector_v{};
inline const accelerator_selector accelerator_selector_v{};
#pragma GCC diagnostic pop

namespace detail {
struct aspect_ranking {
  std::vector<aspect> wanted, denied;
  int operator()(const device& candidate) const { return rank_by_aspects(candidate, wanted, denied); }
};
} // namespace detail

detail::aspect_ranking aspect_selector(const std::vector<aspect>& aspects,
                                       const std::vector<aspect>& deny = {});
template <typename... Aspects, typename = std::enable_if_t<(std::is_same_v<Aspects, aspect> && ...)>>
auto aspect_selector(Aspects... aspects) {
  return detail::aspect_ranking{{aspects...}, {}};
}
template <aspect... Aspects>
auto aspect_selector() {
  return detail::aspect_ranking{{Aspects...}, {}};
}

}
} // namespace sycl::_V1
