// The number of threads of a library that has one number for the process, so that no call uses more than it
// is granted and none waits for another. The number is lowered at any time, and raised only while no call is
// under way that was granted less: a call beside a smaller one therefore gets fewer threads than it may use,
// never more.
#pragma once

#include <climits>
#include <mutex>
#include <set>

namespace prism_cblas {

class thread_number {
public:
  /// `set` is the library's own function; null where it has one thread.
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
  std::multiset<int> m_granted; // of the calls under way
  int m_now = 0;
};

} // namespace prism_cblas
