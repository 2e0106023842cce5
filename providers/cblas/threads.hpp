// Sets the number of threads of a library with one number per process. No call uses more threads than it was
// granted, and no call waits for another. The number may be lowered at any time. It is raised only while no
// call with a smaller grant is running. A call concurrent with a smaller one may therefore use fewer threads
// than it was granted, but never more.
#pragma once

#include <climits>
#include <mutex>
#include <set>

namespace prism_cblas {

class thread_number {
public:
  /// `set`: the library's own function; null if the library has one thread.
  explicit thread_number(void (*set)(int)) : m_set(set) {}

  class use {
  public:
    use(thread_number& of, int granted) : m_of(of) {
      const std::lock_guard lock(of.m_mutex);
      m_place = of.m_granted.insert(granted);
      of.change();
    }
    ~use() {
      const std::lock_guard lock(m_of.m_mutex);
      m_of.m_granted.erase(m_place);
    }
    use(const use&) = delete;

  private:
    thread_number& m_of;
    std::multiset<int>::iterator m_place;
  };

private:
  void change() {
    const int least = *m_granted.begin();
    if (least == m_now || !m_set) return;
    m_set(least);
    m_now = least;
  }
  void (*m_set)(int);
  std::mutex m_mutex;
  std::multiset<int> m_granted; // of the running calls
  int m_now = 0;
};

} // namespace prism_cblas
