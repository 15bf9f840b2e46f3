// The operations of GraphBuilder by topic. Part of builder.cpp: a table, no logic. Defaults are
// those of author/builder.h.

namespace {

const nb::arg input("input"), lhs("lhs"), rhs("rhs"), target("target"), weight_arg("weight");

// A default as people write it: the float 1e-8f has more digits.
auto eps(float value, const char* text) { return nb::arg("eps").sig(text) = value; }

void add_sparse(nb::class_<GraphBuilder>& builder) {
  builder
      .def("sparse_make", method(&GraphBuilder::sparse_make), nb::arg("coords"),
           nb::arg("features"), nb::arg("active"), nb::arg("stride") = triple(1),
           "A sparse value from physical coords (N, 4), features (N, C) and the active count (1).")
      .def(
          "sparse_decompose",
          [](GraphBuilder& self, const PyValue& value) {
            const author::Decomposed parts = take(self.sparse_decompose(value.value));
            return std::tuple(made(self, parts.coords), made(self, parts.features),
                              made(self, parts.active));
          },
          input, "(coords, features, active): the active rows with physical coordinates.")
      .def("sparse_with_features", method(&GraphBuilder::sparse_with_features), input,
           nb::arg("features"), "The rows of `input` with other features.")
      .def("sparse_reindex", method(&GraphBuilder::sparse_reindex), input, target,
           nb::arg("fill") = 0.0f,
           "The rows of `target`, each with the features of the same coordinate; `fill` where "
           "`input` has none.")
      .def("sparse_binary", method(&GraphBuilder::sparse_binary), lhs, rhs, nb::arg("op"),
           nb::arg("join"), nb::arg("lhs_fill") = 0.0f, nb::arg("rhs_fill") = 0.0f,
           "Two sparse values, aligned by coordinate. op: add, sub, mul, maximum, minimum; join: "
           "inner, left, right, outer; a fill stands where its side has no row.")
      .def("sparse_cat", method(&GraphBuilder::sparse_cat), lhs, rhs, nb::arg("join"),
           "The channels of both, those of `lhs` first, aligned by coordinate; 0 where a side has "
           "no row. join: inner, left, right, outer.")
      .def("pool3d", method(&GraphBuilder::pool3d), input, nb::arg("mode"), nb::arg("kernel_size"),
           nb::arg("stride"), nb::arg("padding") = triple(0), nb::arg("dilation") = triple(1),
           "A pool over the rows that conv3d reads. mode: sum, max, avg.")
      .def("pool_transpose3d", method(&GraphBuilder::pool_transpose3d), input,
           nb::arg("target").none(), nb::arg("kernel_size"), nb::arg("stride"),
           nb::arg("padding") = triple(0), nb::arg("dilation") = triple(1),
           "The average of the rows that reach an output of conv_transpose3d, or, with a target, "
           "its rows.")
      .def("trilinear_upsample3d", method(&GraphBuilder::trilinear_upsample3d), input,
           nb::arg("target").none(), nb::arg("stride"),
           "Trilinear interpolation to a finer grid, or, with a target, to its rows.")
      .def("global_pool", method(&GraphBuilder::global_pool), input, nb::arg("mode"),
           nb::arg("batch_size") = -1,
           "(B, C): one row for each batch. mode: sum, max, avg; batch_size -1: as many as the "
           "largest batch index needs.")
      .def("voxelize", method(&GraphBuilder::voxelize), nb::arg("points"), nb::arg("features"),
           nb::arg("batch_indices"), nb::arg("active_rows"), nb::arg("voxel_size"),
           nb::arg("origin"), nb::arg("reduction"), nb::arg("stride") = triple(1),
           nb::arg("dtype") = nb::none(),
           "Points (N, 3) to voxels floor((point - origin) / voxel_size), their features (N, C) "
           "reduced. reduction: sum, mean; dtype: of the result, by default that of features.")
      .def("devoxelize", method(&GraphBuilder::devoxelize), nb::arg("points"), nb::arg("voxels"),
           nb::arg("batch_indices"), nb::arg("point_active_rows"), nb::arg("voxel_size"),
           nb::arg("origin"), nb::arg("interpolation"), nb::arg("dtype") = nb::none(),
           "Features of voxels at points (N, 3). interpolation: nearest, linear; dtype: of the "
           "result, by default that of voxels.");
}

void add_convolutions(nb::class_<GraphBuilder>& builder) {
  const auto bias = [] { return nb::arg("bias").none() = nb::none(); };
  const auto stride = [](int value) { return nb::arg("stride") = triple(value); };
  const auto padding = [] { return nb::arg("padding") = triple(0); };
  const auto dilation = [] { return nb::arg("dilation") = triple(1); };
  const auto small = [] { return eps(1e-8f, "1e-8"); };
  builder
      .def("conv3d", method(&GraphBuilder::conv3d), input, weight_arg, bias(), stride(1), padding(),
           dilation(),
           "Output o takes the input at o * stride + offset - padding, on the input's rows or, if "
           "strided or padded, on the distinct floor(in / stride). Odd kernels are centred, so that "
           "padding 0 is what others call k / 2. The weight is (Cout, Kx, Ky, Kz, Cin).")
      .def("subm_conv3d", method(&GraphBuilder::subm_conv3d), input, weight_arg, bias(), dilation(),
           "A convolution on the input's own rows; odd kernels.")
      .def("normalized_subm_conv3d", method(&GraphBuilder::normalized_subm_conv3d), input,
           weight_arg, bias(), dilation(), small(),
           "subm_conv3d divided by sqrt(den + eps), where den sums the squares of the weights that "
           "met a row.")
      .def("target_conv3d", method(&GraphBuilder::target_conv3d), input, target, weight_arg, bias(),
           stride(1), padding(), dilation(), "conv3d on the rows of `target`.")
      .def("conv_transpose3d", method(&GraphBuilder::conv_transpose3d), input, weight_arg, bias(),
           stride(1), padding(), dilation(),
           "Input i reaches output i * stride + index * dilation - padding, never centred; the "
           "rows are all that are reached.")
      .def("target_conv_transpose3d", method(&GraphBuilder::target_conv_transpose3d), input, target,
           weight_arg, bias(), stride(1), padding(), dilation(),
           "conv_transpose3d on the rows of `target`.")
      .def("normalized_conv_transpose3d", method(&GraphBuilder::normalized_conv_transpose3d), input,
           weight_arg, bias(), stride(1), padding(), dilation(), small(),
           "conv_transpose3d divided by sqrt(den + eps) as in normalized_subm_conv3d.")
      .def("target_normalized_conv_transpose3d",
           method(&GraphBuilder::target_normalized_conv_transpose3d), input, target, weight_arg,
           bias(), stride(1), padding(), dilation(), small(),
           "normalized_conv_transpose3d on the rows of `target`.")
      .def("generative_conv_transpose3d", method(&GraphBuilder::generative_conv_transpose3d), input,
           weight_arg, bias(), stride(2),
           "conv_transpose3d with padding 0 and dilation 1: every row makes the rows of its "
           "kernel.")
      .def("normalized_generative_conv_transpose3d",
           method(&GraphBuilder::normalized_generative_conv_transpose3d), input, weight_arg, bias(),
           stride(2), small(),
           "generative_conv_transpose3d divided by sqrt(den + eps) as in normalized_subm_conv3d.");
}

void add_features(nb::class_<GraphBuilder>& builder) {
  builder
      .def("linear", method(&GraphBuilder::linear), input, weight_arg,
           nb::arg("bias").none() = nb::none(),
           "x times the transposed weight (O, I), plus bias.")
      .def("elementwise", method(&GraphBuilder::elementwise), input, nb::arg("kind"),
           "kind: exp, round (half to even).")
      .def("softmax", method(&GraphBuilder::softmax), input, nb::arg("axis") = -1,
           "exp(x - max) / sum over the channels.")
      .def("activation", method(&GraphBuilder::activation), input, nb::arg("kind"),
           nb::arg("approximate") = "none", nb::arg("alpha").sig("0.01") = 0.01f,
           nb::arg("beta") = 1.0f, nb::arg("threshold") = 20.0f,
           "kind: relu, sigmoid, gelu, silu, leaky_relu, tanh, softplus. approximate, of gelu: "
           "none, precise, tanh, fast; alpha is the slope of leaky_relu; beta and threshold belong "
           "to softplus.")
      .def("batch_norm", method(&GraphBuilder::batch_norm), input, nb::arg("scale"),
           nb::arg("bias"), nb::arg("mean"), nb::arg("var"), eps(1e-5f, "1e-5"),
           "(x - mean) / sqrt(var + eps) * scale + bias, with stored statistics.")
      .def("layer_norm", method(&GraphBuilder::layer_norm), input, nb::arg("scale"),
           nb::arg("bias"), eps(1e-5f, "1e-5"),
           "(x - mean) / sqrt(var + eps) * scale + bias, with mean and variance of each row.")
      .def("rms_norm", method(&GraphBuilder::rms_norm), input, nb::arg("scale"),
           eps(1e-6f, "1e-6"), "x / sqrt(mean(x * x) + eps) * scale, for each row.")
      .def("embedding_lookup", method(&GraphBuilder::embedding_lookup), nb::arg("indices"),
           weight_arg, nb::arg("dtype") = nb::none(),
           "Rows of a table (N, C) by i32 indices (N). dtype: of the result, by default the "
           "weight's.");
}

} // namespace
