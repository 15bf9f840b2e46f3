// See matches.h.
#include "kernels/cpu/topology/matches.h"

#include "kernels/cpu/topology/line_table.h"
#include "kernels/cpu/topology/parallel.h"

namespace lattice::cpu {

GroupedMatches MatchBuckets::grouped() && {
  GroupedMatches grouped;
  int64_t matches = 0;
  for (int64_t r = 0; r < kernel_rows_; ++r) {
    const int64_t count = counts_[static_cast<size_t>(r)];
    grouped.groups.push_back({&storage_[r * capacity_], count});
    matches += count;
  }
  grouped.status =
      scratch_.take(matches * static_cast<int64_t>(sizeof(Match)), "a relation", where_);
  grouped.storage = std::move(storage_);
  return grouped;
}

void MatchStream::grow() {
  const auto taken =
      scratch_.take(block_size * static_cast<int64_t>(sizeof(Item)), "a relation", where_);
  if (!taken && status_) status_ = tl::make_unexpected(taken.error());
  if (taken || blocks_.empty()) {
    if (!blocks_.empty()) blocks_.back().last = next_;
    blocks_.push_back({Array<Item>(block_size, scratch_.pool()), nullptr});
  }
  next_ = blocks_.back().items.data();
  end_ = next_ + block_size;
}

template <class Visit>
void MatchStream::for_each(Visit&& visit) const {
  for (const Block& block : blocks_) {
    const Item* const last = &block == &blocks_.back() ? next_ : block.last;
    for (const Item* item = block.items.data(); item != last; ++item) visit(*item);
  }
}

GroupedMatches MatchStream::grouped() && {
  GroupedMatches grouped;
  grouped.status = status_;
  if (!grouped.status) return grouped;
  std::vector<int64_t> place(static_cast<size_t>(kernel_rows_) + 1, 0);
  for_each([&](const Item& item) { ++place[item.kernel_row + 1]; });
  for (size_t r = 1; r < place.size(); ++r) place[r] += place[r - 1];
  const int64_t matches = place.back();
  grouped.status =
      scratch_.take(matches * static_cast<int64_t>(sizeof(Match)), "a relation", where_);
  if (!grouped.status) return grouped;
  grouped.storage = Array<Match>(matches, scratch_.pool());
  grouped.groups.resize(static_cast<size_t>(kernel_rows_));
  for (size_t r = 0; r < grouped.groups.size(); ++r) {
    grouped.groups[r] = {grouped.storage.data() + place[r], place[r + 1] - place[r]};
  }
  for_each([&](const Item& item) { grouped.storage[place[item.kernel_row]++] = item.match; });
  return grouped;
}

Result<std::shared_ptr<Row[]>> edge_storage(int64_t pairs, int64_t kernel_rows, Budget& budget,
                                            const Location& where) {
  const int64_t bytes = pairs * 2 * static_cast<int64_t>(sizeof(Row));
  LATTICE_CHECK(budget.take(bytes + kernel_rows * static_cast<int64_t>(sizeof(EdgeList)),
                            "a relation", where));
  const std::shared_ptr<std::byte[]> block = BlockPool::block_of(budget.pool(), bytes);
  return std::shared_ptr<Row[]>(block, reinterpret_cast<Row*>(block.get()));
}

Result<Edges> edges_from(const std::vector<GroupedMatches>& chunks, int64_t kernel_rows,
                         Budget& budget, const Location& where) {
  int64_t pairs = 0;
  for (const GroupedMatches& chunk : chunks) {
    if (!chunk.status) return tl::make_unexpected(chunk.status.error());
    for (const auto& group : chunk.groups) pairs += group.count;
  }
  LATTICE_TRY(std::shared_ptr<Row[]> storage, edge_storage(pairs, kernel_rows, budget, where));
  Row* const fine = storage.get();
  Row* const coarse = fine + pairs;
  Edges edges;
  edges.lists.resize(static_cast<size_t>(kernel_rows));
  // Where each chunk's part of each list begins.
  std::vector<int64_t> place(chunks.size() * static_cast<size_t>(kernel_rows));
  int64_t next = 0;
  for (size_t r = 0; r < edges.lists.size(); ++r) {
    const int64_t first = next;
    for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      place[chunk * edges.lists.size() + r] = next;
      next += chunks[chunk].groups[r].count;
    }
    edges.lists[r] = {fine + first, coarse + first, next - first, false};
  }
  parallel_tasks(static_cast<int64_t>(chunks.size()), [&](int64_t at) {
    const int64_t* to = place.data() + at * kernel_rows;
    for (const auto& group : chunks[static_cast<size_t>(at)].groups) {
      Row* const to_fine = fine + *to;
      Row* const to_coarse = coarse + *to++;
      for (int64_t i = 0; i < group.count; ++i) {
        to_fine[i] = group.first[i].fine & ~LineTable::there;
        to_coarse[i] = group.first[i].coarse;
      }
    }
  });
  edges.bytes = pairs * 2 * static_cast<int64_t>(sizeof(Row)) +
                kernel_rows * static_cast<int64_t>(sizeof(EdgeList));
  edges.storage.push_back(std::move(storage));
  return edges;
}

} // namespace lattice::cpu
