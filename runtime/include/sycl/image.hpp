// sycl::unsampled_image and sycl::sampled_image: pixels in one to three dimensions, which accessors convert,
// address and filter (SYCL 2020, "Images").
//
// An image is a buffer of 32-bit words on every device, and PRISM's own code reads the pixels, so that every
// device has aspect::image and all formats, samplers and modes. Texture units are not used. Copies share the
// pixels, and the destructor of the last one writes back and blocks as that of a buffer does. Thread-safe.
#pragma once

#include <sycl/buffer.hpp>
#include <sycl/detail/pixels.hpp>

#include <limits>

namespace sycl {
inline namespace _V1 {

using image_allocator = std::allocator<std::byte>;

template <int Dimensions = 1, typename AllocatorT = image_allocator>
class unsampled_image;
template <int Dimensions = 1, typename AllocatorT = image_allocator>
class sampled_image;
enum class image_target : unsigned int { device, host_task };
template <typename DataT, int Dimensions, access_mode AccessMode,
          image_target AccessTarget = image_target::device>
class unsampled_image_accessor;
template <typename DataT, int Dimensions = 1,
          access_mode AccessMode = (std::is_const_v<DataT> ? access_mode::read : access_mode::read_write)>
class host_unsampled_image_accessor;
template <typename DataT, int Dimensions, image_target AccessTarget = image_target::device>
class sampled_image_accessor;
template <typename DataT, int Dimensions>
class host_sampled_image_accessor;

namespace property::image {
using use_host_ptr = property::buffer::use_host_ptr;
using use_mutex = property::buffer::use_mutex;
using context_bound = property::buffer::context_bound;
} // namespace property::image

#define PRISM_IMAGE_PROPERTY(name, owner)                                                                    \
  template <int D, typename A>                                                                               \
  struct is_property_of<property::image::name, owner<D, A>> : std::true_type {};
PRISM_IMAGE_PROPERTY(use_host_ptr, unsampled_image)
PRISM_IMAGE_PROPERTY(use_mutex, unsampled_image)
PRISM_IMAGE_PROPERTY(context_bound, unsampled_image)
PRISM_IMAGE_PROPERTY(use_host_ptr, sampled_image)
PRISM_IMAGE_PROPERTY(use_mutex, sampled_image)
PRISM_IMAGE_PROPERTY(context_bound, sampled_image)
#undef PRISM_IMAGE_PROPERTY

namespace detail {

/// The layout of an image, its pitch in bytes and the number of its words.
template <int Dimensions>
struct image_shape {
  image_layout layout;
  range<Dimensions> extent;
  std::size_t pitch[2] = {}; // of a row and of a slice
  std::size_t words = 0;
};

/// Throws errc::invalid for extents of zero or above the largest int, for pitches that are no multiples of a
/// pixel's bytes or smaller than the pixels need, and for more bytes than std::size_t counts.
void check_image(image_format format, const std::size_t (&extents)[3], const std::size_t (&pitch)[2]);
/// Throws errc::invalid if the sampler cannot be used with the format.
void check_sampler(const image_sampler& sampler, image_format format);
[[noreturn]] void throw_wrong_pixel(image_format format);

template <int Dimensions>
image_shape<Dimensions> shape_of_image(image_format format, const range<Dimensions>& extent,
                                       const std::size_t* given_pitch) {
  const std::size_t pixel = pixel_words(format) * sizeof(std::uint32_t);
  const std::size_t extents[3] = {extent[0], Dimensions > 1 ? extent[Dimensions > 1 ? 1 : 0] : 1,
                                  Dimensions > 2 ? extent[Dimensions > 2 ? 2 : 0] : 1};
  image_shape<Dimensions> shape;
  shape.extent = extent;
  shape.pitch[0] = given_pitch ? given_pitch[0] : extents[0] * pixel;
  shape.pitch[1] = given_pitch && Dimensions > 2 ? given_pitch[1] : shape.pitch[0] * extents[1];
  check_image(format, extents, shape.pitch);
  shape.layout.width = static_cast<std::int32_t>(extents[0]);
  shape.layout.height = static_cast<std::int32_t>(extents[1]);
  shape.layout.depth = static_cast<std::int32_t>(extents[2]);
  shape.layout.format = format;
  shape.layout.row_words = shape.pitch[0] / sizeof(std::uint32_t);
  shape.layout.slice_words = shape.pitch[1] / sizeof(std::uint32_t);
  describe_channels(shape.layout, pixel_words(format));
  // The last row has no padding behind it: it may be part of a larger image in the program's memory.
  shape.words = ((extents[2] - 1) * shape.pitch[1] + (extents[1] - 1) * shape.pitch[0] + extents[0] * pixel) /
                sizeof(std::uint32_t);
  return shape;
}

/// What both classes of images share.
template <int Dimensions, typename AllocatorT>
class image_base {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "an image has 1, 2 or 3 dimensions");
  using word_allocator = typename std::allocator_traits<AllocatorT>::template rebind_alloc<std::uint32_t>;

public:
  range<Dimensions> get_range() const { return m_shape.extent; }
  /// The bytes from a row to the next, and in three dimensions from a slice to the next.
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0>
  range<D - 1> get_pitch() const {
    if constexpr (D == 2) return range<1>(m_shape.pitch[0]);
    else return range<2>(m_shape.pitch[0], m_shape.pitch[1]);
  }
  /// The number of pixels.
  std::size_t size() const noexcept { return m_shape.extent.size(); }
  std::size_t byte_size() const noexcept { return m_words.byte_size(); }
  template <typename Property>
  bool has_property() const noexcept {
    return m_words.template has_property<Property>();
  }
  template <typename Property>
  Property get_property() const {
    return m_words.template get_property<Property>();
  }

  friend bool operator==(const image_base& a, const image_base& b) noexcept { return a.m_words == b.m_words; }
  friend bool operator!=(const image_base& a, const image_base& b) noexcept { return !(a == b); }
  std::size_t prism_hash() const noexcept { return m_words.prism_hash(); }
  // For accessors.
  buffer<std::uint32_t, 1, word_allocator>& prism_words() noexcept { return m_words; }
  const image_layout& prism_layout() const noexcept { return m_shape.layout; }
  /// Whether there are bytes between the rows, which an access without the old contents must keep.
  bool prism_has_padding() const noexcept {
    return m_words.size() != size() * pixel_words(m_shape.layout.format);
  }

protected:
  template <typename... Host>
  image_base(const image_shape<Dimensions>& shape, const AllocatorT& allocator,
             const property_list& properties, call_site site, const Host&... host)
      : m_shape(shape), m_words(host..., range<1>(shape.words), word_allocator(allocator), properties, site) {
  }
  static image_shape<Dimensions> shape(image_format format, const range<Dimensions>& extent) {
    return shape_of_image(format, extent, nullptr);
  }
  template <int Pitches>
  static image_shape<Dimensions> shape(image_format format, const range<Dimensions>& extent,
                                       const range<Pitches>& pitch) {
    static_assert(Pitches == Dimensions - 1, "the pitch has one dimension less than the image");
    const std::size_t bytes[2] = {pitch[0], Pitches > 1 ? pitch[Pitches > 1 ? 1 : 0] : 0};
    return shape_of_image(format, extent, bytes);
  }

  std::shared_ptr<const void> m_keep_alive; // the pixels of a sampled image, until m_words is destroyed
  image_shape<Dimensions> m_shape;
  buffer<std::uint32_t, 1, word_allocator> m_words;
};

template <typename T>
std::shared_ptr<T>
shared_words(const std::shared_ptr<std::conditional_t<std::is_const_v<T>, const void, void>>& bytes) {
  return std::shared_ptr<T>(bytes, static_cast<T*>(bytes.get()));
}

} // namespace detail

template <int Dimensions, typename AllocatorT>
class unsampled_image : public detail::image_base<Dimensions, AllocatorT> {
  using base = detail::image_base<Dimensions, AllocatorT>;
  using site_of_call = detail::call_site;
  template <int D>
  using if_pitched = std::enable_if_t<(D > 1), int>;

public:
  unsampled_image(image_format format, const range<Dimensions>& extent, const property_list& properties = {},
                  site_of_call site = site_of_call::here())
      : unsampled_image(format, extent, AllocatorT(), properties, site) {}
  unsampled_image(image_format format, const range<Dimensions>& extent, AllocatorT allocator,
                  const property_list& properties = {}, site_of_call site = site_of_call::here())
      : base(base::shape(format, extent), allocator, properties, site), m_allocator(allocator) {}
  // `pitch`: the bytes from a row to the next, and from a slice to the next.
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(image_format format, const range<Dimensions>& extent, const range<D - 1>& pitch,
                  const property_list& properties = {}, site_of_call site = site_of_call::here())
      : unsampled_image(format, extent, pitch, AllocatorT(), properties, site) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(image_format format, const range<Dimensions>& extent, const range<D - 1>& pitch,
                  AllocatorT allocator, const property_list& properties = {},
                  site_of_call site = site_of_call::here())
      : base(base::shape(format, extent, pitch), allocator, properties, site), m_allocator(allocator) {}

  // With the program's pixels, to which the destructor writes back.
  unsampled_image(void* pixels, image_format format, const range<Dimensions>& extent,
                  const property_list& properties = {}, site_of_call site = site_of_call::here())
      : unsampled_image(pixels, format, extent, AllocatorT(), properties, site) {}
  unsampled_image(void* pixels, image_format format, const range<Dimensions>& extent, AllocatorT allocator,
                  const property_list& properties = {}, site_of_call site = site_of_call::here())
      : base(base::shape(format, extent), allocator, properties, site, static_cast<std::uint32_t*>(pixels)),
        m_allocator(allocator) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(void* pixels, image_format format, const range<Dimensions>& extent,
                  const range<D - 1>& pitch, const property_list& properties = {},
                  site_of_call site = site_of_call::here())
      : unsampled_image(pixels, format, extent, pitch, AllocatorT(), properties, site) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(void* pixels, image_format format, const range<Dimensions>& extent,
                  const range<D - 1>& pitch, AllocatorT allocator, const property_list& properties = {},
                  site_of_call site = site_of_call::here())
      : base(base::shape(format, extent, pitch), allocator, properties, site,
             static_cast<std::uint32_t*>(pixels)),
        m_allocator(allocator) {}

  unsampled_image(const std::shared_ptr<void>& pixels, image_format format, const range<Dimensions>& extent,
                  const property_list& properties = {}, site_of_call site = site_of_call::here())
      : unsampled_image(pixels, format, extent, AllocatorT(), properties, site) {}
  unsampled_image(const std::shared_ptr<void>& pixels, image_format format, const range<Dimensions>& extent,
                  AllocatorT allocator, const property_list& properties = {},
                  site_of_call site = site_of_call::here())
      : base(base::shape(format, extent), allocator, properties, site,
             detail::shared_words<std::uint32_t>(pixels)),
        m_allocator(allocator) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(const std::shared_ptr<void>& pixels, image_format format, const range<Dimensions>& extent,
                  const range<D - 1>& pitch, const property_list& properties = {},
                  site_of_call site = site_of_call::here())
      : unsampled_image(pixels, format, extent, pitch, AllocatorT(), properties, site) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(const std::shared_ptr<void>& pixels, image_format format, const range<Dimensions>& extent,
                  const range<D - 1>& pitch, AllocatorT allocator, const property_list& properties = {},
                  site_of_call site = site_of_call::here())
      : base(base::shape(format, extent, pitch), allocator, properties, site,
             detail::shared_words<std::uint32_t>(pixels)),
        m_allocator(allocator) {}

  AllocatorT get_allocator() const { return m_allocator; }

  template <typename DataT,
            access_mode Mode = (std::is_const_v<DataT> ? access_mode::read : access_mode::read_write),
            image_target Target = image_target::device>
  auto get_access(handler& group, const property_list& properties = {}) {
    return unsampled_image_accessor<DataT, Dimensions, Mode, Target>(*this, group, properties);
  }
  template <typename DataT,
            access_mode Mode = (std::is_const_v<DataT> ? access_mode::read : access_mode::read_write)>
  auto get_host_access(const property_list& properties = {}, site_of_call site = site_of_call::here()) {
    return host_unsampled_image_accessor<DataT, Dimensions, Mode>(*this, properties, site);
  }

  /// Sets the destination of write-back: a pointer or an output iterator, which get the image's bytes with
  /// its pitch, a weak_ptr (no write-back if it expired) or nullptr (no write-back).
  template <typename Destination = std::nullptr_t>
  void set_final_data(Destination destination = nullptr) {
    if constexpr (std::is_pointer_v<Destination>) {
      this->m_words.set_final_data(static_cast<void*>(destination));
    } else if constexpr (detail::is_iterator<Destination>::value) {
      set_final_elements(destination);
    } else {
      this->m_words.set_final_data(destination);
    }
  }
  void set_write_back(bool write = true) { this->m_words.set_write_back(write); }

private:
  template <typename Iterator>
  void set_final_elements(Iterator destination) {
    using element = typename std::iterator_traits<Iterator>::value_type;
    static_assert(std::is_trivially_copyable_v<element>,
                  "set_final_data: the iterator's type must say which bytes an element takes");
    const std::size_t count = this->byte_size() / sizeof(element);
    detail::set_final_data(*detail::access_impl::get(this->m_words), [destination, count](const void* bytes) {
      auto to = destination;
      for (std::size_t i = 0; i < count; ++i, ++to) {
        element value;
        std::memcpy(&value, static_cast<const char*>(bytes) + i * sizeof(element), sizeof(element));
        *to = value;
      }
    });
  }

  AllocatorT m_allocator;
};

/// Pixels that accessors read with the sampler's addressing and filter. They never change.
template <int Dimensions, typename AllocatorT>
class sampled_image : public detail::image_base<Dimensions, AllocatorT> {
  using base = detail::image_base<Dimensions, AllocatorT>;
  using site_of_call = detail::call_site;
  template <int D>
  using if_pitched = std::enable_if_t<(D > 1), int>;

public:
  // Throw errc::invalid for a filter of integers and for repeating addressing of coordinates that are not
  // normalized.
  sampled_image(const void* pixels, image_format format, image_sampler sampler,
                const range<Dimensions>& extent, const property_list& properties = {},
                site_of_call site = site_of_call::here())
      : base(checked(sampler, base::shape(format, extent)), AllocatorT(), properties, site,
             static_cast<const std::uint32_t*>(pixels)),
        m_sampler(sampler) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  sampled_image(const void* pixels, image_format format, image_sampler sampler,
                const range<Dimensions>& extent, const range<D - 1>& pitch,
                const property_list& properties = {}, site_of_call site = site_of_call::here())
      : base(checked(sampler, base::shape(format, extent, pitch)), AllocatorT(), properties, site,
             static_cast<const std::uint32_t*>(pixels)),
        m_sampler(sampler) {}
  sampled_image(const std::shared_ptr<const void>& pixels, image_format format, image_sampler sampler,
                const range<Dimensions>& extent, const property_list& properties = {},
                site_of_call site = site_of_call::here())
      : sampled_image(pixels.get(), format, sampler, extent, properties, site) {
    this->m_keep_alive = pixels;
  }
  template <int D = Dimensions, if_pitched<D> = 0>
  sampled_image(const std::shared_ptr<const void>& pixels, image_format format, image_sampler sampler,
                const range<Dimensions>& extent, const range<D - 1>& pitch,
                const property_list& properties = {}, site_of_call site = site_of_call::here())
      : sampled_image(pixels.get(), format, sampler, extent, pitch, properties, site) {
    this->m_keep_alive = pixels;
  }

  template <typename DataT, image_target Target = image_target::device>
  auto get_access(handler& group, const property_list& properties = {}) {
    return sampled_image_accessor<DataT, Dimensions, Target>(*this, group, properties);
  }
  template <typename DataT>
  auto get_host_access(const property_list& properties = {}, site_of_call site = site_of_call::here()) {
    return host_sampled_image_accessor<DataT, Dimensions>(*this, properties, site);
  }

  const image_sampler& prism_sampler() const noexcept { return m_sampler; }

private:
  static const detail::image_shape<Dimensions>& checked(const image_sampler& sampler,
                                                        const detail::image_shape<Dimensions>& shape) {
    detail::check_sampler(sampler, shape.layout.format);
    return shape;
  }

  image_sampler m_sampler;
};

}
} // namespace sycl::_V1

template <int D, typename A>
struct std::hash<sycl::unsampled_image<D, A>> : sycl::detail::hash_by_impl {};
template <int D, typename A>
struct std::hash<sycl::sampled_image<D, A>> : sycl::detail::hash_by_impl {};
