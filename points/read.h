// Point files to clouds: .bin, .npy, .npz, .ply, .pcd and .las, read strictly.
// A file that is cut, contradicts itself or promises more than it holds is refused, never half
// read.
#pragma once

#include <string>
#include <vector>

#include "points/cloud.h"
#include "points/number.h"

namespace lattice {

struct ReadOptions {
  // For files that do not name their columns (.bin, .npy, .npz): how many there are and what they
  // are. columns 0 means as many as names, and without names what the file says; a .bin says
  // nothing: 5 for a name that ends in .pcd.bin (nuScenes: x y z i ring), else 4 (KITTI: x y z i).
  int64_t columns = 0;
  std::vector<std::string> names;
  // The array of an .npz, with or without ".npy"; empty means the first.
  std::string array;
};

// By the name's ending, in any case. Errors: Code::io when the file cannot be read,
// Code::unsupported for an ending or a kind of file not offered (.laz), Code::memory when it does
// not fit, Code::input for everything wrong in the file, with its name and the line or byte.
Result<PointCloud> read_points(const std::string& path, const ReadOptions& options = {});

// The same on bytes in memory; `name` gives the format and stands in messages.
Result<PointCloud> read_points(Bytes bytes, const std::string& name,
                               const ReadOptions& options = {});

// One format each.
Result<PointCloud> read_bin(Bytes bytes, const std::string& name, const ReadOptions& options);
Result<PointCloud> read_npy(Bytes bytes, const std::string& name, const ReadOptions& options);
Result<PointCloud> read_npz(Bytes bytes, const std::string& name, const ReadOptions& options);
Result<PointCloud> read_ply(Bytes bytes, const std::string& name);
Result<PointCloud> read_pcd(Bytes bytes, const std::string& name);
Result<PointCloud> read_las(Bytes bytes, const std::string& name);

} // namespace lattice
