// A sequence that grows at its end, shrinks at both ends, and retains its storage, so that a warm queue
// allocates nothing.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace prism::devices::vulkan {

template <class T>
class fifo {
public:
  bool empty() const noexcept { return m_count == 0; }
  std::size_t size() const noexcept { return m_count; }
  T& front() noexcept { return m_items[m_first]; }
  T& back() noexcept { return m_items[(m_first + m_count - 1) % m_items.size()]; }
  T& operator[](std::size_t i) noexcept { return m_items[(m_first + i) % m_items.size()]; }
  void reserve_more(std::size_t count) {
    while (m_items.size() - m_count < count) grow();
  }
  void push(T item) {
    if (m_count == m_items.size()) grow();
    m_items[(m_first + m_count++) % m_items.size()] = std::move(item);
  }
  T pop() {
    T item = std::move(m_items[m_first]);
    m_first = (m_first + 1) % m_items.size();
    --m_count;
    return item;
  }
  T pop_last() {
    T item = std::move(back());
    --m_count;
    return item;
  }

private:
  void grow() {
    std::vector<T> bigger(m_items.empty() ? 16 : 2 * m_items.size());
    for (std::size_t i = 0; i < m_count; ++i) bigger[i] = std::move(m_items[(m_first + i) % m_items.size()]);
    m_items = std::move(bigger);
    m_first = 0;
  }

  std::vector<T> m_items;
  std::size_t m_first = 0, m_count = 0;
};

} // namespace prism::devices::vulkan
