// Sets the number of threads of a library with one number per process. No call uses more threads than it was
// granted, and no call waits for another. The number may be lowered at any time. It is raised only while no
// call with a smaller grant is running. A call concurrent with a smaller one may therefore use fewer threads
// than it was granted, but never more. The program may call the same library and set the number too: so each
// call asks for it, and the last one to end sets what was there before the first one.
#pragma once

#include <climits>
#include <mutex>
#include <set>

namespace prism_cblas {

class thread_number {
public:
  /// The library's own functions.
  thread_number(void (*set)(int), int (*get)()) : m_set(set), m_get(get) {}

  class use {
  public:
    use(thread_number& of, int granted) : m_of(of) {
      const std::lock_guard lock(of.m_mutex);
      if (of.m_granted.empty()) of.m_before = of.m_get();
      m_place = of.m_granted.insert(granted);
      of.change(*of.m_granted.begin());
    }
    ~use() {
      const std::lock_guard lock(m_of.m_mutex);
      m_of.m_granted.erase(m_place);
      if (m_of.m_granted.empty() && m_of.m_before > 0) m_of.change(m_of.m_before); // BLIS: -1 is none
    }
    use(const use&) = delete;

  private:
    thread_number& m_of;
    std::multiset<int>::iterator m_place;
  };

private:
  void change(int to) {
    if (m_get() != to) m_set(to);
  }
  void (*m_set)(int);
  int (*m_get)();
  std::mutex m_mutex;
  std::multiset<int> m_granted; // of the running calls
  int m_before = 0;
};

} // namespace prism_cblas
