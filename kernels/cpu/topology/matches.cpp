// See matches.h.
#include "kernels/cpu/topology/matches.h"

#include "kernels/cpu/topology/parallel.h"

namespace lattice::cpu {

void MatchStream::grow() {
  const auto taken =
      scratch_->take(block_size * static_cast<int64_t>(sizeof(Match)), "a relation", *where_);
  if (!taken && status_) status_ = tl::make_unexpected(taken.error());
  if (taken || blocks_.empty()) {
    if (!blocks_.empty()) blocks_.back().last = next_;
    blocks_.push_back({Array<Match>(block_size, scratch_->pool()), nullptr});
  }
  next_ = blocks_.back().matches.data();
  end_ = next_ + block_size;
}

Result<std::shared_ptr<Row[]>> edge_storage(int64_t pairs, int64_t kernel_rows, Budget& budget,
                                            const Location& where) {
  const int64_t bytes = pairs * 2 * static_cast<int64_t>(sizeof(Row)) +
                        kernel_rows * static_cast<int64_t>(sizeof(EdgeList));
  LATTICE_CHECK(budget.take(bytes, "a relation", where));
  const std::shared_ptr<std::byte[]> block =
      BlockPool::block_of(budget.pool(), pairs * 2 * static_cast<int64_t>(sizeof(Row)));
  return std::shared_ptr<Row[]>(block, reinterpret_cast<Row*>(block.get()));
}

GroupedMatches group(const MatchStream& stream, int64_t kernel_rows, Taken& scratch,
                     const Location& where) {
  GroupedMatches grouped;
  grouped.status = stream.status();
  if (!grouped.status) return grouped;
  std::vector<Row>& begin = grouped.begin;
  // One place further on while counting and filling, so that no second array is needed.
  begin.assign(static_cast<size_t>(kernel_rows) + 2, 0);
  stream.for_each([&](const Match& match) { ++begin[match.kernel_row + 2]; });
  for (size_t r = 2; r < begin.size(); ++r) begin[r] += begin[r - 1];
  const int64_t count = begin.back();
  grouped.status = scratch.take(count * 8, "a relation", where);
  if (!grouped.status) return grouped;
  grouped.fine = Array<Row>(count, scratch.pool());
  grouped.coarse = Array<Row>(count, scratch.pool());
  Row* const fine = grouped.fine.data();
  Row* const coarse = grouped.coarse.data();
  Row* const place = begin.data() + 1;
  stream.for_each([&](const Match& match) {
    const Row position = place[match.kernel_row]++;
    fine[position] = match.fine;
    coarse[position] = match.coarse;
  });
  begin.pop_back();
  return grouped;
}

Result<Edges> edges_from(const std::vector<GroupedMatches>& chunks, int64_t kernel_rows,
                         Budget& budget, const Location& where) {
  int64_t pairs = 0;
  for (const GroupedMatches& chunk : chunks) {
    if (!chunk.status) return tl::make_unexpected(chunk.status.error());
    pairs += chunk.fine.size();
  }
  LATTICE_TRY(std::shared_ptr<Row[]> storage, edge_storage(pairs, kernel_rows, budget, where));
  Row* const fine = storage.get();
  Row* const coarse = fine + pairs;
  Edges edges;
  edges.lists.resize(static_cast<size_t>(kernel_rows));
  // Where each chunk's part of each list begins.
  std::vector<int64_t> place(chunks.size() * static_cast<size_t>(kernel_rows));
  int64_t next = 0;
  for (size_t r = 0; r < static_cast<size_t>(kernel_rows); ++r) {
    const int64_t first = next;
    for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      place[chunk * static_cast<size_t>(kernel_rows) + r] = next;
      next += chunks[chunk].begin[r + 1] - chunks[chunk].begin[r];
    }
    edges.lists[r] = {fine + first, coarse + first, next - first, false};
  }
  parallel_tasks(static_cast<int64_t>(chunks.size()), [&](int64_t at) {
    const GroupedMatches& chunk = chunks[static_cast<size_t>(at)];
    const int64_t* to = place.data() + at * kernel_rows;
    for (size_t r = 0; r < static_cast<size_t>(kernel_rows); ++r) {
      const Row begin = chunk.begin[r], count = chunk.begin[r + 1] - begin;
      if (count == 0) continue;
      std::copy_n(chunk.fine.data() + begin, count, fine + to[r]);
      std::copy_n(chunk.coarse.data() + begin, count, coarse + to[r]);
    }
  });
  edges.bytes = pairs * 2 * static_cast<int64_t>(sizeof(Row)) +
                kernel_rows * static_cast<int64_t>(sizeof(EdgeList));
  edges.storage.push_back(std::move(storage));
  return edges;
}

} // namespace lattice::cpu
