// Recording and repeating programs as graphs (fused_graphs.hpp).
#include "kernels/array/fused_graphs.hpp"

#include <sycl/sycl.hpp>

#include <algorithm>
#include <array>

namespace prism::array_detail {

namespace {

template <typename T>
void record(piece_recorder& recorder, sycl::queue& recording, arithmetic kind, program* fold,
            bool in_chunks) {
  const program& p = recorder.of();
  const dtype own = type_of(kind);
  std::array<piece_value, name_count> values;
  for (int k = 0; k < p.leaves; ++k)
    values[std::size_t(first_leaf + k)] = convert_pieces(recorder, load_piece(recorder, p.leaf[k]), own);
  for (int k = 0; k < p.constants; ++k)
    values[std::size_t(first_constant + k)] = number_piece<T>(recorder, k);
  for (int s = 0; s < p.steps; ++s) {
    const step& now = p.list[s];
    values[now.to] = step_piece<T>(recorder, now.op, values[now.a], values[now.b], values[now.c]);
  }
  const piece_value root = values[std::size_t(p.root)];
  if (fold != nullptr) {
    const auto record_fold = in_chunks ? record_chunk_fold<T> : record_element_fold<T>;
    return record_fold(recording, piece_recorder::buffer_of<T>(root), fold, p);
  }
  store_piece(recorder, p.result, convert_pieces(recorder, root, dtype(p.result.type)));
}

template <typename T>
void add(std::string& key, const T* first, int count) {
  key.append(reinterpret_cast<const char*>(first), sizeof(T) * std::size_t(count));
}

/// Everything that the steps of a program and their fold depend on.
std::string key_of(arithmetic kind, const program& p, const fused_fold* how) {
  std::string key;
  const auto add_array = [&](const program_array& a) {
    add(key, &a.data, 1), add(key, a.strides, p.rank), add(key, &a.type, 1), add(key, &a.is_flat, 1);
  };
  add(key, &kind, 1), add(key, &p.size, 1), add(key, &p.root, 1);
  for (const std::int32_t count : {p.rank, p.steps, p.leaves, p.constants}) add(key, &count, 1);
  add(key, p.extent, p.rank), add(key, p.list, p.steps);
  add(key, p.constant, p.constants), add(key, p.integer_constant, p.constants);
  add_array(p.result);
  add(key, &p.fold, 1);
  if (how != nullptr) {
    const fold_layout& f = p.folded;
    if (how->rest != nullptr) add(key, &how->rest->result.data, 1), add(key, &how->rest->result.type, 1);
    for (const std::int64_t n : {f.results, f.elements, f.inner, f.parts, f.part_elements}) add(key, &n, 1);
    add(key, &f.partial_positions, 1);
  }
  std::for_each(p.leaf, p.leaf + p.leaves, add_array);
  return key;
}

} // namespace

bool fused_graphs::run_known(sycl::queue& queue, const std::string& key) {
  const auto found =
      std::find_if(m_known.begin(), m_known.end(), [&](const known_graph& each) { return each.key == key; });
  if (found == m_known.end()) return false;
  try {
    found->last = execute_graph(queue, found->graph);
  } catch (const sycl::exception& refused) {
    if (refused.code() != sycl::errc::invalid) throw;
    forget(found); // a user freed memory of it; other memory is at the address, and begins elsewhere
    return false;
  }
  m_known.splice(m_known.begin(), m_known, found);
  return true;
}

program* fused_graphs::programs_of_fold(sycl::queue& queue, int& place) {
  if (m_programs == nullptr) {
    constexpr int places = int(most_known) + 1; // the last graph is forgotten after the new one is made
    const bool is_here = queue.get_device().has(sycl::aspect::usm_host_allocations);
    if (!is_here) m_copied.resize(2 * places);
    m_programs = is_here ? sycl::malloc_host<program>(2 * places, queue)
                         : sycl::malloc_device<program>(2 * places, queue);
    if (m_programs == nullptr)
      throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation), "no memory for programs");
    for (int each = 0; each < places; ++each) m_free_places.push_back(each);
  }
  place = m_free_places.back();
  m_free_places.pop_back();
  return m_programs + 2 * place;
}

void fused_graphs::forget(std::list<known_graph>::iterator graph) {
  if (graph->place >= 0) {
    graph->last.wait();
    m_free_places.push_back(graph->place);
  }
  m_known.erase(graph);
}

void fused_graphs::clear() {
  while (!m_known.empty()) forget(m_known.begin());
}

bool fused_graphs::run(sycl::queue& queue, arithmetic kind, const program& p, bool only_built,
                       const fused_fold* how) {
  std::string key = key_of(kind, p, how);
  if (run_known(queue, key)) return true;
  // A queue of its own: a user may submit to the other one while this one records.
  sycl::queue recording(queue.get_context(), queue.get_device(), sycl::property::queue::in_order());
  command_graph graph(recording);
  graph.begin_recording(recording);
  piece_recorder recorder(recording, p);
  int place = -1;
  program* const fold = how == nullptr ? nullptr : programs_of_fold(queue, place);
  const auto give_back = [&](const int* unused) { m_free_places.push_back(*unused); };
  std::unique_ptr<const int, decltype(give_back)> unused(fold != nullptr ? &place : nullptr, give_back);
  if (fold != nullptr) {
    program* const filled = m_copied.empty() ? fold : m_copied.data() + 2 * place;
    filled[0] = p;
    filled[0].leaves = filled[0].steps = filled[0].ended = 0; // the graph has them
    filled[0].counters = how->counters;
    filled[0].rest = how->rest != nullptr ? fold + 1 : nullptr;
    if (how->rest != nullptr) filled[1] = *how->rest;
    if (filled != fold) queue.memcpy(fold, filled, 2 * sizeof(program));
  }
  with_number(kind, [&]<typename T>(std::type_identity<T>) {
    record<T>(recorder, recording, kind, fold, how != nullptr && how->in_chunks);
  });
  graph.end_recording();
  const property::graph::perform_fusion fusion;
  if (only_built && !graph.is_built(fusion)) return false;
  m_known.push_front({std::move(key), graph.finalize(fusion), recorder.take_values(), place, {}});
  unused.release();
  m_known.front().last = execute_graph(queue, m_known.front().graph);
  if (m_known.size() > most_known) forget(std::prev(m_known.end()));
  return true;
}

} // namespace prism::array_detail
