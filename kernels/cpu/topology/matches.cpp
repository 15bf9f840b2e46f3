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
      Pool::block_of(budget.pool(), pairs * 2 * static_cast<int64_t>(sizeof(Row)));
  return std::shared_ptr<Row[]>(block, reinterpret_cast<Row*>(block.get()));
}

Result<Edges> edges_from(const std::vector<MatchStream>& streams, int64_t kernel_rows,
                         Budget& budget, const Location& where) {
  for (const MatchStream& stream : streams) {
    if (stream.refused()) return tl::make_unexpected(stream.status().error());
  }
  // Where each chunk's part of each list begins.
  std::vector<int64_t> place(streams.size() * static_cast<size_t>(kernel_rows));
  const int64_t chunks = static_cast<int64_t>(streams.size());
  parallel_tasks(chunks, [&](int64_t chunk) {
    int64_t* counts = place.data() + chunk * kernel_rows;
    streams[static_cast<size_t>(chunk)].for_each(
        [&](const Match& match) { ++counts[match.kernel_row]; });
  });
  Edges edges;
  Taken lists(budget); // counted again, for good, with the rows
  LATTICE_CHECK(
      lists.take(kernel_rows * static_cast<int64_t>(sizeof(EdgeList)), "a relation", where));
  edges.lists.resize(static_cast<size_t>(kernel_rows));
  int64_t pairs = 0;
  for (int64_t r = 0; r < kernel_rows; ++r) {
    const int64_t first = pairs;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      int64_t& at = place[static_cast<size_t>(chunk * kernel_rows + r)];
      const int64_t count = at;
      at = pairs;
      pairs += count;
    }
    edges.lists[static_cast<size_t>(r)].count = pairs - first;
  }
  LATTICE_TRY(std::shared_ptr<Row[]> storage, edge_storage(pairs, kernel_rows, budget, where));
  Row* const fine = storage.get();
  Row* const coarse = fine + pairs;
  parallel_tasks(chunks, [&](int64_t chunk) {
    int64_t* at = place.data() + chunk * kernel_rows;
    streams[static_cast<size_t>(chunk)].for_each([&](const Match& match) {
      const int64_t position = at[match.kernel_row]++;
      fine[position] = match.fine;
      coarse[position] = match.coarse;
    });
  });
  int64_t first = 0;
  for (EdgeList& list : edges.lists) {
    list.fine = fine + first;
    list.coarse = coarse + first;
    first += list.count;
  }
  edges.bytes = pairs * 2 * static_cast<int64_t>(sizeof(Row)) +
                kernel_rows * static_cast<int64_t>(sizeof(EdgeList));
  edges.storage.push_back(std::move(storage));
  return edges;
}

} // namespace lattice::cpu
