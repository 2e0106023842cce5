// sycl::kernel_bundle and sycl::device_image (SYCL 2020, "Kernel bundles"). PRISM compiles kernels with the
// program, and the device's driver builds them when they are first needed. Therefore every kernel is
// available in every state, with one image per kernel. compile, link and build validate their arguments,
// transfer the values of specialisation constants, and build with the driver. Thread-safe.
#pragma once

#include <sycl/detail/same.hpp>
#include <sycl/kernel.hpp>

#include <optional>

namespace sycl {
inline namespace _V1 {

namespace ext {
namespace oneapi {
namespace experimental {
template <auto* Func>
struct is_kernel;
}
}
} // namespace ext::oneapi::experimental

namespace detail {

/// Defined in ext/oneapi/experimental/free_function_kernels.hpp.
template <auto* Func>
kernel_id function_kernel_id();

// The functions behind the templates below. A null list of devices means all devices of the context.
impl_ptr<kernel_bundle_impl> get_bundle(const context& in, const std::vector<device>* on, bundle_state state,
                                        const std::vector<kernel_id>* kernels);
impl_ptr<kernel_bundle_impl> get_bundle(const context& in, const std::vector<device>* on, bundle_state state,
                                        const kernel_id& kernel);
impl_ptr<kernel_bundle_impl>
get_bundle(const context& in, const std::vector<device>* on, bundle_state state,
           const std::function<bool(const impl_ptr<device_image_impl>&)>& wanted);
bool has_bundle(const context& in, const std::vector<device>* on, bundle_state state,
                const std::vector<kernel_id>* kernels);
bool has_bundle(const context& in, const std::vector<device>* on, bundle_state state,
                const kernel_id& kernel);
impl_ptr<kernel_bundle_impl> join_bundles(const std::vector<impl_ptr<kernel_bundle_impl>>& all,
                                          bundle_state state);
/// Converts bundles to a later state, for the given devices.
impl_ptr<kernel_bundle_impl> advance_bundle(const std::vector<impl_ptr<kernel_bundle_impl>>& all,
                                            const std::vector<device>* on, bundle_state to);
sycl::kernel bundle_kernel(const impl_ptr<kernel_bundle_impl>& bundle, const kernel_id& kernel);
std::size_t count_images(const kernel_bundle_impl& bundle);
impl_ptr<device_image_impl> bundle_image(const kernel_bundle_impl& bundle, std::size_t number);
bool bundle_has_constant(const kernel_bundle_impl& bundle, const void* id);
void set_bundle_constant(kernel_bundle_impl& bundle, const void* id, const void* value, std::size_t bytes);
void get_bundle_constant(const kernel_bundle_impl& bundle, const void* id, void* value, std::size_t bytes);
bool image_has(const device_image_impl& image, const kernel_id& kernel, const device* on);

/// The members that bundles of all states share.
class any_bundle : public shared_object<kernel_bundle_impl> {
public:
  bool empty() const noexcept;
  backend get_backend() const noexcept;
  context get_context() const noexcept;
  std::vector<device> get_devices() const noexcept;

  bool has_kernel(const kernel_id& kernel) const noexcept;
  bool has_kernel(const kernel_id& kernel, const device& on) const noexcept;
  template <typename KernelName>
  bool has_kernel() const noexcept {
    return has_kernel(get_kernel_id<KernelName>());
  }
  template <typename KernelName>
  bool has_kernel(const device& on) const noexcept {
    return has_kernel(get_kernel_id<KernelName>(), on);
  }
  std::vector<kernel_id> get_kernel_ids() const;

  // Free function kernels.
  template <auto* Func, std::enable_if_t<ext::oneapi::experimental::is_kernel<Func>::value, int> = 0>
  bool ext_oneapi_has_kernel() const {
    return has_kernel(function_kernel_id<Func>());
  }
  template <auto* Func, std::enable_if_t<ext::oneapi::experimental::is_kernel<Func>::value, int> = 0>
  bool ext_oneapi_has_kernel(const device& on) const {
    return has_kernel(function_kernel_id<Func>(), on);
  }

  // Asks the images, because the host code of a kernel does not show which constants it reads.
  bool contains_specialization_constants() const noexcept;
  /// Whether all specialisation constants are compile-time constants of the device compiler. False: PRISM
  /// passes them as data.
  bool native_specialization_constant() const noexcept { return false; }

protected:
  explicit any_bundle(impl_ptr<kernel_bundle_impl> impl) : shared_object(std::move(impl)) {}
};

} // namespace detail

template <bundle_state State>
class device_image : public detail::shared_object<detail::device_image_impl> {
public:
  device_image() = delete;
  bool has_kernel(const kernel_id& kernel) const noexcept {
    return detail::image_has(*this->m_impl, kernel, nullptr);
  }
  bool has_kernel(const kernel_id& kernel, const device& on) const noexcept {
    return detail::image_has(*this->m_impl, kernel, &on);
  }

private:
  friend struct detail::access_impl;
  explicit device_image(detail::impl_ptr<detail::device_image_impl> impl) : shared_object(std::move(impl)) {}
};

template <bundle_state State>
class kernel_bundle : public detail::any_bundle {
public:
  using device_image_type = device_image<State>;

  /// Iterates over the images of the bundle.
  class device_image_iterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = const device_image<State>;
    using difference_type = std::ptrdiff_t;
    using pointer = value_type*;
    using reference = value_type&;
    device_image_iterator() = default;
    reference operator*() const {
      m_current.emplace(image(m_at));
      return *m_current;
    }
    pointer operator->() const { return &**this; }
    device_image<State> operator[](difference_type n) const {
      return image(m_at + static_cast<std::size_t>(n));
    }
    friend device_image_iterator operator+(device_image_iterator i, difference_type n) {
      i.m_at += static_cast<std::size_t>(n);
      return i;
    }
    friend difference_type operator-(const device_image_iterator& a, const device_image_iterator& b) {
      return static_cast<difference_type>(a.m_at) - static_cast<difference_type>(b.m_at);
    }
    device_image_iterator& operator++() { return ++m_at, *this; }
    device_image_iterator operator++(int) {
      auto old = *this;
      ++m_at;
      return old;
    }
    friend bool operator==(const device_image_iterator& a, const device_image_iterator& b) {
      return a.m_at == b.m_at;
    }
    friend bool operator!=(const device_image_iterator& a, const device_image_iterator& b) {
      return a.m_at != b.m_at;
    }

  private:
    friend class kernel_bundle;
    device_image_iterator(const detail::kernel_bundle_impl& bundle, std::size_t at)
        : m_bundle(&bundle), m_at(at) {}
    device_image<State> image(std::size_t number) const {
      return detail::access_impl::make<device_image<State>>(detail::bundle_image(*m_bundle, number));
    }
    const detail::kernel_bundle_impl* m_bundle = nullptr;
    std::size_t m_at = 0;
    mutable std::optional<device_image<State>> m_current;
  };

  kernel_bundle() = delete;

  /// Throws errc::invalid if the bundle does not have the kernel.
  template <bundle_state S = State, std::enable_if_t<detail::same<S, bundle_state::executable>, int> = 0>
  kernel get_kernel(const kernel_id& id) const {
    return detail::bundle_kernel(m_impl, id);
  }
  template <typename KernelName, bundle_state S = State,
            std::enable_if_t<detail::same<S, bundle_state::executable>, int> = 0>
  kernel get_kernel() const {
    return get_kernel(get_kernel_id<KernelName>());
  }
  /// The kernel object of a free function kernel.
  template <auto* Func, bundle_state S = State,
            std::enable_if_t<detail::same<S, bundle_state::executable> &&
                                 ext::oneapi::experimental::is_kernel<Func>::value,
                             int> = 0>
  kernel ext_oneapi_get_kernel() const {
    return get_kernel(detail::function_kernel_id<Func>());
  }

  template <auto& SpecName>
  bool has_specialization_constant() const noexcept {
    return detail::bundle_has_constant(*m_impl, &SpecName);
  }
  template <auto& SpecName, bundle_state S = State,
            std::enable_if_t<detail::same<S, bundle_state::input>, int> = 0>
  void set_specialization_constant(detail::specialization_value<SpecName> value) {
    detail::set_bundle_constant(*m_impl, &SpecName, &value, sizeof value);
  }
  template <auto& SpecName>
  detail::specialization_value<SpecName> get_specialization_constant() const {
    using value_type = detail::specialization_value<SpecName>;
    alignas(value_type) unsigned char bytes[sizeof(value_type)];
    detail::get_bundle_constant(*m_impl, &SpecName, bytes, sizeof bytes);
    return *reinterpret_cast<const value_type*>(bytes);
  }

  device_image_iterator begin() const { return {*m_impl, 0}; }
  device_image_iterator end() const { return {*m_impl, detail::count_images(*m_impl)}; }

private:
  friend struct detail::access_impl;
  explicit kernel_bundle(detail::impl_ptr<detail::kernel_bundle_impl> impl) : any_bundle(std::move(impl)) {}
};

// ---- obtaining

template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<device>& on) {
  return detail::access_impl::make<kernel_bundle<State>>(detail::get_bundle(in, &on, State, nullptr));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in) {
  return detail::access_impl::make<kernel_bundle<State>>(detail::get_bundle(in, nullptr, State, nullptr));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<device>& on,
                                       const std::vector<kernel_id>& kernels) {
  return detail::access_impl::make<kernel_bundle<State>>(detail::get_bundle(in, &on, State, &kernels));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<kernel_id>& kernels) {
  return detail::access_impl::make<kernel_bundle<State>>(detail::get_bundle(in, nullptr, State, &kernels));
}
template <typename KernelName, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<device>& on) {
  return detail::access_impl::make<kernel_bundle<State>>(
      detail::get_bundle(in, &on, State, get_kernel_id<KernelName>()));
}
template <typename KernelName, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in) {
  return detail::access_impl::make<kernel_bundle<State>>(
      detail::get_bundle(in, nullptr, State, get_kernel_id<KernelName>()));
}
namespace detail {
template <bundle_state State, typename Selector>
inline constexpr bool selects_images = std::is_invocable_r_v<bool, Selector&, const device_image<State>&>;
template <bundle_state State, typename Selector>
std::function<bool(const impl_ptr<device_image_impl>&)> image_filter(Selector& selector) {
  return [&selector](const impl_ptr<device_image_impl>& image) {
    return static_cast<bool>(selector(access_impl::make<device_image<State>>(image)));
  };
}
} // namespace detail
template <bundle_state State, typename Selector,
          std::enable_if_t<detail::selects_images<State, Selector>, int> = 0>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<device>& on, Selector selector) {
  return detail::access_impl::make<kernel_bundle<State>>(
      detail::get_bundle(in, &on, State, detail::image_filter<State>(selector)));
}
template <bundle_state State, typename Selector,
          std::enable_if_t<detail::selects_images<State, Selector>, int> = 0>
kernel_bundle<State> get_kernel_bundle(const context& in, Selector selector) {
  return detail::access_impl::make<kernel_bundle<State>>(
      detail::get_bundle(in, nullptr, State, detail::image_filter<State>(selector)));
}

template <bundle_state State>
bool has_kernel_bundle(const context& in, const std::vector<device>& on) {
  return detail::has_bundle(in, &on, State, nullptr);
}
template <bundle_state State>
bool has_kernel_bundle(const context& in) {
  return detail::has_bundle(in, nullptr, State, nullptr);
}
template <bundle_state State>
bool has_kernel_bundle(const context& in, const std::vector<device>& on,
                       const std::vector<kernel_id>& kernels) {
  return detail::has_bundle(in, &on, State, &kernels);
}
template <bundle_state State>
bool has_kernel_bundle(const context& in, const std::vector<kernel_id>& kernels) {
  return detail::has_bundle(in, nullptr, State, &kernels);
}
template <typename KernelName, bundle_state State>
bool has_kernel_bundle(const context& in, const std::vector<device>& on) {
  return detail::has_bundle(in, &on, State, get_kernel_id<KernelName>());
}
template <typename KernelName, bundle_state State>
bool has_kernel_bundle(const context& in) {
  return detail::has_bundle(in, nullptr, State, get_kernel_id<KernelName>());
}

/// Whether the device can run all of the kernels. Throws errc::invalid for an unknown kernel.
bool is_compatible(const std::vector<kernel_id>& kernels, const device& on);
template <typename KernelName>
bool is_compatible(const device& on) {
  return is_compatible({get_kernel_id<KernelName>()}, on);
}

// ---- combining and building

namespace detail {
template <typename Bundle, typename Impl = kernel_bundle_impl> // a template, so that the vector is not made
                                                               // before it is needed
std::vector<impl_ptr<Impl>> implementations(const std::vector<Bundle>& bundles) {
  std::vector<impl_ptr<Impl>> out;
  for (const auto& b : bundles) out.push_back(access_impl::get(b));
  return out;
}
} // namespace detail

template <bundle_state State>
kernel_bundle<State> join(const std::vector<kernel_bundle<State>>& bundles) {
  return detail::access_impl::make<kernel_bundle<State>>(
      detail::join_bundles(detail::implementations(bundles), State));
}

// Without a list of devices, the bundle's devices are used, or those that all bundles have in common.
// Property lists are accepted, but there are no properties.
kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input>& input,
                                            const std::vector<device>& on, const property_list& = {});
kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input>& input,
                                            const property_list& = {});
kernel_bundle<bundle_state::executable> link(const std::vector<kernel_bundle<bundle_state::object>>& objects,
                                             const std::vector<device>& on, const property_list& = {});
kernel_bundle<bundle_state::executable> link(const std::vector<kernel_bundle<bundle_state::object>>& objects,
                                             const property_list& = {});
kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object>& object,
                                             const std::vector<device>& on, const property_list& = {});
kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object>& object,
                                             const property_list& = {});
kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input>& input,
                                              const std::vector<device>& on, const property_list& = {});
kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input>& input,
                                              const property_list& = {});

}
} // namespace sycl::_V1

template <sycl::bundle_state State>
struct std::hash<sycl::kernel_bundle<State>> : sycl::detail::hash_by_impl {};
template <sycl::bundle_state State>
struct std::hash<sycl::device_image<State>> : sycl::detail::hash_by_impl {};
