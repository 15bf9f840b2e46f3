// See order.h.
#include "kernels/cpu/topology/order.h"

namespace lattice::cpu {

FirstOccurrence::FirstOccurrence(int64_t rows) : number_(rows) {
  std::fill_n(number_.data(), rows, unset);
}

void FirstOccurrence::walk(const Order& source, const Array<Row>& image) {
  const auto visit = [&](Row row) {
    if (row != unset && number_[row] == unset) number_[row] = next_++;
  };
  if (source.identity) {
    for (int64_t i = 0; i < image.size(); ++i) visit(image[i]);
    return;
  }
  Array<Row> inner_of_caller(image.size());
  for (int64_t i = 0; i < image.size(); ++i) {
    inner_of_caller[source.caller_of_inner[i]] = static_cast<Row>(i);
  }
  for (int64_t i = 0; i < image.size(); ++i) visit(image[inner_of_caller[i]]);
}

namespace {
Order order_of(Array<Row> number) {
  Order order;
  for (int64_t i = 0; i < number.size() && order.identity; ++i) order.identity = number[i] == i;
  if (!order.identity) order.caller_of_inner = std::move(number);
  return order;
}
} // namespace

Order FirstOccurrence::finish() && { return order_of(std::move(number_)); }

Order order_of_reach(const Edges& edges, const Order& source) {
  struct Reached {
    uint64_t first = ~uint64_t{0}; // source row * kernel rows + kernel row
    Row row = 0;
  };
  const uint64_t kernel_rows = edges.lists.size();
  Array<uint64_t> first(edges.fine_rows);
  std::fill_n(first.data(), first.size(), ~uint64_t{0});
  for (uint64_t r = 0; r < kernel_rows; ++r) {
    const EdgeList& list = edges.lists[r];
    for (int64_t i = 0; i < list.count; ++i) {
      const Row fine = list.identity ? static_cast<Row>(i) : list.fine[i];
      const Row coarse = list.identity ? static_cast<Row>(i) : list.coarse[i];
      first[fine] = std::min(first[fine], source.caller(coarse) * kernel_rows + r);
    }
  }
  // Grouped by source row, then each small group by kernel row.
  Array<Row> begin(edges.coarse_rows + 1);
  std::fill_n(begin.data(), begin.size(), Row{0});
  for (int64_t i = 0; i < first.size(); ++i)
    ++begin[static_cast<int64_t>(first[i] / kernel_rows) + 1];
  for (int64_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  Array<Reached> sorted(first.size());
  for (int64_t i = 0; i < first.size(); ++i) {
    sorted[begin[static_cast<int64_t>(first[i] / kernel_rows)]++] = {first[i], static_cast<Row>(i)};
  }
  const auto before = [](const Reached& a, const Reached& b) { return a.first < b.first; };
  int64_t group = 0;
  for (int64_t i = 0; i < edges.coarse_rows; ++i) { // begin[i] is now the end of group i
    std::sort(sorted.data() + group, sorted.data() + begin[i], before);
    group = begin[i];
  }
  Array<Row> number(first.size());
  for (int64_t i = 0; i < sorted.size(); ++i) number[sorted[i].row] = static_cast<Row>(i);
  return order_of(std::move(number));
}

Array<Row> coarse_of_fine(const Edges& edges) {
  Array<Row> image(edges.fine_rows);
  std::fill_n(image.data(), image.size(), FirstOccurrence::unset);
  for (const EdgeList& list : edges.lists) {
    for (int64_t i = 0; i < list.count; ++i) {
      image[list.identity ? i : int64_t{list.fine[i]}] =
          list.identity ? static_cast<Row>(i) : list.coarse[i];
    }
  }
  return image;
}

} // namespace lattice::cpu
