// The threads that wait for commands of a queue: a list through objects on their stacks. Any thread.
#pragma once

#include <mutex>

namespace prism::runtime {

class scheduled_command;

class wait_list {
public:
  /// A thread is in the list while its entry exists; nothing is allocated. Without a list it does nothing.
  class entry {
  public:
    entry(wait_list* list, const scheduled_command& what) : m_list(list), m_what(what) {
      if (m_list == nullptr) return;
      const std::lock_guard lock(m_list->m_mutex);
      m_next = m_list->m_first;
      if (m_next != nullptr) m_next->m_previous = this;
      m_list->m_first = this;
    }
    ~entry() {
      if (m_list == nullptr) return;
      const std::lock_guard lock(m_list->m_mutex);
      (m_previous != nullptr ? m_previous->m_next : m_list->m_first) = m_next;
      if (m_next != nullptr) m_next->m_previous = m_previous;
    }
    entry(const entry&) = delete;

  private:
    friend class wait_list;
    wait_list* const m_list;
    const scheduled_command& m_what;
    entry *m_next = nullptr, *m_previous = nullptr;
  };

  /// Visits the commands that are waited for, with the list locked.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    const std::lock_guard lock(m_mutex);
    for (const entry* each = m_first; each != nullptr; each = each->m_next) visit(each->m_what);
  }

private:
  mutable std::mutex m_mutex;
  entry* m_first = nullptr;
};

} // namespace prism::runtime
