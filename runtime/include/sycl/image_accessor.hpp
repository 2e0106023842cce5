// Accessors of images: unsampled_image_accessor and sampled_image_accessor for kernels and host tasks, and
// their host_ forms, whose constructors block as that of host_accessor does (SYCL 2020, "Unsampled image
// accessors", "Sampled image accessors").
//
// DataT is int4, uint4, float4 or half4, as the image's format needs; another one throws errc::invalid.
// Coordinates have their width first: one number, a vec of two, or a vec of four (or three) for three
// dimensions. A read outside of an unsampled image gives zeros, and a write changes nothing.
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/image.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

inline constexpr sycl::target target_of_image(image_target target) noexcept {
  return target == image_target::device ? sycl::target::device : sycl::target::host_task;
}

/// Coordinates of one to three dimensions as three numbers.
template <typename Number, int Dimensions>
struct image_place {
  Number x, y = 0, z = 0;

  template <typename Coordinates>
  explicit image_place(const Coordinates& at) : x() {
    if constexpr (Dimensions == 1) {
      x = static_cast<Number>(at);
    } else if constexpr (Dimensions == 2) {
      const vec<Number, 2> both = at;
      x = both[0], y = both[1];
    } else if constexpr (std::is_convertible_v<Coordinates, vec<Number, 4>> &&
                         !std::is_arithmetic_v<Coordinates>) {
      const vec<Number, 4> all = at;
      x = all[0], y = all[1], z = all[2];
    } else {
      const vec<Number, 3> all = at;
      x = all[0], y = all[1], z = all[2];
    }
  }
};

template <typename T, access_mode Mode, sycl::target Target, access::placeholder P>
auto* start_of(const accessor<T, 1, Mode, Target, P>& words) noexcept {
  return words.prism_buffer_start();
}
template <typename T, access_mode Mode>
auto* start_of(const host_accessor<T, 1, Mode>& words) noexcept {
  return words.get_pointer();
}

/// Words is an accessor of a buffer of words, for kernels or for the host.
template <typename DataT, int Dimensions, typename Words>
class image_access {
  static_assert(is_pixel<std::remove_const_t<DataT>>,
                "an image accessor's elements are int4, uint4, float4 or half4");

public:
  using const_reference = const DataT&;
  static constexpr int dimensions = Dimensions;

  std::size_t size() const noexcept {
    return static_cast<std::size_t>(m_layout.width) * static_cast<std::size_t>(m_layout.height) *
           static_cast<std::size_t>(m_layout.depth);
  }
  template <typename Property>
  bool has_property() const noexcept {
    return m_words.template has_property<Property>();
  }
  template <typename Property>
  Property get_property() const {
    return m_words.template get_property<Property>();
  }

  friend bool operator==(const image_access& a, const image_access& b) noexcept {
    return a.m_words == b.m_words && a.m_layout == b.m_layout;
  }
  friend bool operator!=(const image_access& a, const image_access& b) noexcept { return !(a == b); }
  std::size_t prism_hash() const noexcept { return std::hash<Words>()(m_words); }

protected:
  using pixel = std::remove_const_t<DataT>;

  template <typename Image>
  image_access(Image& image, const property_list& properties, handler& group)
      : m_words(image.prism_words(), group, without_no_init(image, properties)),
        m_layout(image.prism_layout()) {
    check();
  }
  template <typename Image>
  image_access(Image& image, const property_list& properties, call_site site)
      : m_words(image.prism_words(), without_no_init(image, properties), site),
        m_layout(image.prism_layout()) {
    check();
  }
  auto* words() const noexcept { return start_of(m_words); }
  const image_layout& layout() const noexcept { return m_layout; }

private:
  /// no_init would lose the bytes between the rows.
  template <typename Image>
  static property_list without_no_init(const Image& image, const property_list& properties) {
    return image.prism_has_padding() ? property_list() : properties;
  }
  void check() const {
    if (!pixel_fits<pixel>(m_layout.format)) throw_wrong_pixel(m_layout.format);
  }

  Words m_words;
  image_layout m_layout;
};

template <typename Access, typename DataT, int Dimensions, access_mode Mode>
class unsampled_access : public Access {
public:
  using value_type = std::conditional_t<same<Mode, sycl::access_mode::read>, const DataT, DataT>;
  using reference = value_type&;
  static constexpr sycl::access_mode access_mode = Mode;

  template <typename Coordinates, sycl::access_mode M = Mode,
            std::enable_if_t<!same<M, sycl::access_mode::write>, int> = 0>
  std::remove_const_t<DataT> read(const Coordinates& coordinates) const noexcept {
    const image_place<std::int32_t, Dimensions> at(coordinates);
    return read_pixel<std::remove_const_t<DataT>>(this->words(), this->layout(), at.x, at.y, at.z);
  }
  template <typename Coordinates, sycl::access_mode M = Mode,
            std::enable_if_t<!same<M, sycl::access_mode::read>, int> = 0>
  void write(const Coordinates& coordinates, const DataT& colour) const {
    const image_place<std::int32_t, Dimensions> at(coordinates);
    write_pixel<std::remove_const_t<DataT>>(this->words(), this->layout(), at.x, at.y, at.z, colour);
  }

protected:
  using Access::Access;
};

template <typename Access, typename DataT, int Dimensions>
class sampled_access : public Access {
public:
  using value_type = const DataT;
  using reference = const DataT&;

  template <typename Coordinates>
  std::remove_const_t<DataT> read(const Coordinates& coordinates) const noexcept {
    const image_place<float, Dimensions> at(coordinates);
    return sample_pixel<std::remove_const_t<DataT>, Dimensions>(this->words(), this->layout(), m_sampler,
                                                                at.x, at.y, at.z);
  }

protected:
  template <typename Image, typename Place>
  sampled_access(Image& image, const property_list& properties, Place&& place)
      : Access(image, properties, place), m_sampler(image.prism_sampler()) {}

private:
  image_sampler m_sampler;
};

template <access_mode Mode, sycl::target Target>
using image_words = accessor<std::uint32_t, 1, Mode, Target, no_placeholder>;
template <access_mode Mode>
using image_host_words = host_accessor<std::uint32_t, 1, Mode>;
template <typename DataT, int Dimensions, access_mode Mode, image_target Target>
using unsampled_base =
    unsampled_access<image_access<DataT, Dimensions, image_words<Mode, target_of_image(Target)>>, DataT,
                     Dimensions, Mode>;
template <typename DataT, int Dimensions, access_mode Mode>
using host_unsampled_base =
    unsampled_access<image_access<DataT, Dimensions, image_host_words<Mode>>, DataT, Dimensions, Mode>;
template <typename DataT, int Dimensions, image_target Target>
using sampled_base =
    sampled_access<image_access<DataT, Dimensions, image_words<access_mode::read, target_of_image(Target)>>,
                   DataT, Dimensions>;
template <typename DataT, int Dimensions>
using host_sampled_base =
    sampled_access<image_access<DataT, Dimensions, image_host_words<access_mode::read>>, DataT, Dimensions>;

} // namespace detail

template <typename DataT, int Dimensions, access_mode AccessMode, image_target AccessTarget>
class unsampled_image_accessor : public detail::unsampled_base<DataT, Dimensions, AccessMode, AccessTarget> {
public:
  static constexpr image_target access_target = AccessTarget;

  template <typename AllocatorT>
  unsampled_image_accessor(unsampled_image<Dimensions, AllocatorT>& image, handler& group,
                           const property_list& properties = {})
      : detail::unsampled_base<DataT, Dimensions, AccessMode, AccessTarget>(image, properties, group) {}
};

template <typename DataT, int Dimensions, access_mode AccessMode>
class host_unsampled_image_accessor : public detail::host_unsampled_base<DataT, Dimensions, AccessMode> {
  using base = detail::host_unsampled_base<DataT, Dimensions, AccessMode>;

public:
  template <typename AllocatorT>
  host_unsampled_image_accessor(unsampled_image<Dimensions, AllocatorT>& image,
                                const property_list& properties = {},
                                detail::call_site site = detail::call_site::here())
      : base(image, properties, site) {}
};

template <typename DataT, int Dimensions, image_target AccessTarget>
class sampled_image_accessor : public detail::sampled_base<DataT, Dimensions, AccessTarget> {
public:
  template <typename AllocatorT>
  sampled_image_accessor(sampled_image<Dimensions, AllocatorT>& image, handler& group,
                         const property_list& properties = {})
      : detail::sampled_base<DataT, Dimensions, AccessTarget>(image, properties, group) {}
};

template <typename DataT, int Dimensions>
class host_sampled_image_accessor : public detail::host_sampled_base<DataT, Dimensions> {
public:
  template <typename AllocatorT>
  host_sampled_image_accessor(sampled_image<Dimensions, AllocatorT>& image,
                              const property_list& properties = {},
                              detail::call_site site = detail::call_site::here())
      : detail::host_sampled_base<DataT, Dimensions>(image, properties, site) {}
};

template <typename DataT, int D, access_mode M, image_target Target>
struct is_device_copyable<unsampled_image_accessor<DataT, D, M, Target>> : std::true_type {};
template <typename DataT, int D, image_target Target>
struct is_device_copyable<sampled_image_accessor<DataT, D, Target>> : std::true_type {};
template <typename DataT, int D, access_mode M, image_target Target>
struct is_property_of<property::no_init, unsampled_image_accessor<DataT, D, M, Target>> : std::true_type {};
template <typename DataT, int D, access_mode M>
struct is_property_of<property::no_init, host_unsampled_image_accessor<DataT, D, M>> : std::true_type {};

}
} // namespace sycl::_V1

template <typename DataT, int D, sycl::access_mode M, sycl::image_target T>
struct std::hash<sycl::unsampled_image_accessor<DataT, D, M, T>> : sycl::detail::hash_by_impl {};
template <typename DataT, int D, sycl::access_mode M>
struct std::hash<sycl::host_unsampled_image_accessor<DataT, D, M>> : sycl::detail::hash_by_impl {};
template <typename DataT, int D, sycl::image_target T>
struct std::hash<sycl::sampled_image_accessor<DataT, D, T>> : sycl::detail::hash_by_impl {};
template <typename DataT, int D>
struct std::hash<sycl::host_sampled_image_accessor<DataT, D>> : sycl::detail::hash_by_impl {};
