#include "kernels/einsum/expression.hpp"

#include <prism/views.hpp>

#include <algorithm>
#include <cctype>

namespace prism::einsum {
namespace {

struct term {
  std::string names; // with '.' for "..."
  std::size_t first; // its column in the text, from 1
};

[[noreturn]] void refuse(const std::string& text, std::size_t column, const std::string& what) {
  prism::detail::refuse_view("einsum: \"" + text + "\", column " + std::to_string(column) + ": " + what);
}

/// Splits "ab,c...->d" into terms; the last one is the result, if there is one.
class reader {
public:
  explicit reader(const std::string& text) : m_text(text) {
    m_terms.push_back({"", 1});
    for (std::size_t i = 0; i < text.size(); ++i) read(i);
  }
  std::vector<term> take() { return std::move(m_terms); }
  bool has_result() const { return m_has_result; }

private:
  void read(std::size_t& i) {
    const char c = m_text[i];
    term& now = m_terms.back();
    if (c == ' ') return;
    if (c == ',') {
      if (m_has_result) refuse(m_text, i + 1, "the result has no ','");
      m_terms.push_back({"", i + 2});
    } else if (c == '-') {
      if (i + 1 >= m_text.size() || m_text[i + 1] != '>') refuse(m_text, i + 1, "'-' without '>'");
      if (m_has_result) refuse(m_text, i + 1, "\"->\" is there twice");
      m_has_result = true, ++i;
      m_terms.push_back({"", i + 2});
    } else if (c == '.') {
      if (m_text.compare(i, 3, "...") != 0) refuse(m_text, i + 1, "\"...\" has three dots");
      if (now.names.find('.') != std::string::npos) refuse(m_text, i + 1, "\"...\" is there twice");
      now.names += '.', i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      now.names += c;
    } else {
      refuse(m_text, i + 1, std::string("'") + c + "' is not a letter, a comma, a space, \"...\" or \"->\"");
    }
  }
  const std::string& m_text;
  std::vector<term> m_terms;
  bool m_has_result = false;
};

labels labels_of(const std::string& text, const term& one, std::size_t rank, std::size_t operand) {
  const bool spread = one.names.find('.') != std::string::npos;
  const std::size_t named = one.names.size() - (spread ? 1 : 0);
  if (spread ? named > rank : named != rank)
    refuse(text, one.first,
           std::to_string(named) + " names" + (spread ? " next to \"...\"" : "") + " for operand " +
               std::to_string(operand) + ", which has " + std::to_string(rank) + " dimensions");
  labels out;
  for (const char c : one.names)
    if (c == '.')
      for (std::size_t d = rank - named; d-- > 0;) out.push_back(-static_cast<label>(d) - 1);
    else out.push_back(static_cast<unsigned char>(c));
  return out;
}

/// The result where the text names none.
labels usual_result(const expression& whole) {
  std::map<label, int> count;
  for (const labels& of : whole.in)
    for (const label one : of) ++count[one];
  labels out;
  for (const auto& [one, times] : count)
    if (one < 0 || times == 1) out.push_back(one);
  return out;
}

labels named_result(const std::string& text, const term& one, const expression& whole) {
  std::size_t spread = 0;
  for (const auto& [name, extent] : whole.extent)
    if (name < 0) ++spread;
  labels out;
  for (const char c : one.names) {
    if (c == '.') {
      for (std::size_t d = spread; d-- > 0;) out.push_back(-static_cast<label>(d) - 1);
      continue;
    }
    const label name = static_cast<unsigned char>(c);
    if (has(out, name)) refuse(text, one.first, std::string("the result names '") + c + "' twice");
    if (whole.extent.count(name) == 0)
      refuse(text, one.first, std::string("no operand has the name '") + c + "'");
    out.push_back(name);
  }
  if (spread != 0 && one.names.find('.') == std::string::npos)
    refuse(text, one.first, "operands have \"...\" and the result has not");
  return out;
}

double count_of(const labels& names, const std::map<label, std::size_t>& extent) {
  double out = 1;
  for (const label one : names) out *= static_cast<double>(extent.at(one));
  return out;
}
labels only(const labels& of, const labels& kept) {
  labels out;
  for (const label one : of)
    if (has(kept, one)) out.push_back(one);
  return out;
}

/// Dynamic programming: the best way to each subset of the operands.
class best_order {
public:
  best_order(const std::vector<labels>& operands, const expression& whole)
      : m_all(operands), m_whole(whole), m_best(std::size_t(1) << operands.size()) {
    for (std::size_t i = 0; i < operands.size(); ++i) m_best[std::size_t(1) << i].names = operands[i];
    for (std::size_t set = 1; set < m_best.size(); ++set)
      if ((set & (set - 1)) != 0) find(set);
  }
  std::vector<contraction> take() {
    for (std::size_t i = 0; i < m_all.size(); ++i) m_list.push_back(std::size_t(1) << i);
    add(m_best.size() - 1);
    return std::move(m_out);
  }

private:
  struct way {
    labels names;
    double cost = 0;
    std::size_t part = 0;
  };
  labels needed_outside(std::size_t set) const {
    labels out = m_whole.out;
    for (std::size_t i = 0; i < m_all.size(); ++i)
      if ((set >> i & 1u) == 0) out = joined(out, m_all[i]);
    return out;
  }
  void find(std::size_t set) {
    way& best = m_best[set];
    best.cost = -1;
    for (std::size_t part = (set - 1) & set; part != 0; part = (part - 1) & set)
      if (part < (set ^ part)) consider(set, part);
    best.names = only(joined(m_best[best.part].names, m_best[set ^ best.part].names), needed_outside(set));
  }
  void consider(std::size_t set, std::size_t part) {
    const way &a = m_best[part], &b = m_best[set ^ part];
    const double cost = a.cost + b.cost + count_of(joined(a.names, b.names), m_whole.extent);
    if (m_best[set].cost < 0 || cost < m_best[set].cost) m_best[set].cost = cost, m_best[set].part = part;
  }
  void add(std::size_t set) {
    if ((set & (set - 1)) == 0) return;
    const std::size_t a = m_best[set].part, b = set ^ a;
    add(a), add(b);
    const auto position = [&](std::size_t of) {
      return static_cast<std::size_t>(std::find(m_list.begin(), m_list.end(), of) - m_list.begin());
    };
    const std::size_t i = position(a), j = position(b);
    m_out.emplace_back(std::min(i, j), std::max(i, j));
    m_list.erase(m_list.begin() + std::ptrdiff_t(std::max(i, j)));
    m_list.erase(m_list.begin() + std::ptrdiff_t(std::min(i, j)));
    m_list.push_back(set);
  }
  const std::vector<labels>& m_all;
  const expression& m_whole;
  std::vector<way> m_best;
  std::vector<std::size_t> m_list;
  std::vector<contraction> m_out;
};

std::vector<contraction> greedy_order(std::vector<labels> list, const expression& whole) {
  std::vector<contraction> out;
  while (list.size() > 1) {
    contraction best{0, 1};
    double least = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = i + 1; j < list.size(); ++j) {
        const labels result = only(joined(list[i], list[j]), needed_by_others(list, i, j, whole.out));
        const double size = count_of(result, whole.extent) - count_of(list[i], whole.extent) -
                            count_of(list[j], whole.extent);
        if ((i == 0 && j == 1) || size < least) least = size, best = {i, j};
      }
    const labels result = only(joined(list[best.first], list[best.second]),
                               needed_by_others(list, best.first, best.second, whole.out));
    out.push_back(best);
    list.erase(list.begin() + std::ptrdiff_t(best.second));
    list.erase(list.begin() + std::ptrdiff_t(best.first));
    list.push_back(result);
  }
  return out;
}

} // namespace

bool has(const labels& of, label which) { return std::find(of.begin(), of.end(), which) != of.end(); }

labels joined(const labels& a, const labels& b) {
  labels out = a;
  for (const label one : b)
    if (!has(out, one)) out.push_back(one);
  return out;
}

std::string text_of(const labels& names) {
  std::string out;
  for (const label one : names) out += one < 0 ? static_cast<char>('0' - one % 10) : static_cast<char>(one);
  return out;
}

expression parsed(const std::string& text, const std::vector<std::vector<std::size_t>>& extents) {
  reader read(text);
  const std::vector<term> terms = read.take();
  const std::size_t count = terms.size() - (read.has_result() ? 1 : 0);
  if (count != extents.size())
    prism::detail::refuse_view("einsum: \"" + text + "\" is of " + std::to_string(count) +
                               " operands; the call has " + std::to_string(extents.size()));
  expression out;
  for (std::size_t i = 0; i < count; ++i) {
    out.in.push_back(labels_of(text, terms[i], extents[i].size(), i));
    for (std::size_t d = 0; d < extents[i].size(); ++d) {
      // A diagonal: unlike operands of each other, dimensions of one operand are not broadcast.
      const auto first = std::find(out.in[i].begin(), out.in[i].end(), out.in[i][d]);
      const std::size_t of_first = extents[i][std::size_t(first - out.in[i].begin())];
      if (of_first != extents[i][d])
        refuse(text, terms[i].first,
               "dimension " + std::to_string(d) + " of operand " + std::to_string(i) + ", '" +
                   text_of({out.in[i][d]}) + "', has " + std::to_string(extents[i][d]) +
                   " elements; another of its dimensions with that name has " + std::to_string(of_first));
      const auto [known, is_new] = out.extent.emplace(out.in[i][d], extents[i][d]);
      if (is_new || known->second == extents[i][d] || extents[i][d] == 1) continue;
      if (known->second != 1)
        refuse(text, terms[i].first,
               "dimension " + std::to_string(d) + " of operand " + std::to_string(i) + ", '" +
                   text_of({out.in[i][d]}) + "', has " + std::to_string(extents[i][d]) +
                   " elements; another has " + std::to_string(known->second));
      known->second = extents[i][d];
    }
  }
  out.out = read.has_result() ? named_result(text, terms.back(), out) : usual_result(out);
  return out;
}

std::vector<contraction> path_of(const std::vector<labels>& operands, const expression& whole) {
  constexpr std::size_t most = 8; // 3^8 pairs of subsets
  if (operands.size() < 2) return {};
  return operands.size() <= most ? best_order(operands, whole).take() : greedy_order(operands, whole);
}

roles roles_of(const labels& a, const labels& b, const labels& kept,
               const std::map<label, std::size_t>& extent) {
  roles out;
  for (const label one : a) {
    const std::size_t n = extent.at(one);
    if (has(b, one)) {
      if (has(kept, one)) out.batch.push_back(one), out.batches *= n;
      else out.summed.push_back(one), out.terms *= n;
    } else if (has(kept, one)) out.left.push_back(one), out.rows *= n;
    else out.only_left.push_back(one);
  }
  for (const label one : b)
    if (!has(a, one)) {
      if (has(kept, one)) out.right.push_back(one), out.columns *= extent.at(one);
      else out.only_right.push_back(one);
    }
  return out;
}

labels needed_by_others(const std::vector<labels>& operands, std::size_t i, std::size_t j,
                        const labels& out) {
  labels all = out;
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (k != i && k != j) all = joined(all, operands[k]);
  return all;
}

} // namespace prism::einsum
