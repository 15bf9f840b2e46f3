// The operations of GraphBuilder by topic. Part of builder.cpp: a table, no logic. Defaults are
// those of author/builder.h.

namespace {

const nb::arg input("input"), lhs("lhs"), rhs("rhs"), target("target"), weight_arg("weight");

void add_sparse(nb::class_<GraphBuilder>& builder) {
  builder
      .def("sparse_make", method(&GraphBuilder::sparse_make), nb::arg("coords"),
           nb::arg("features"), nb::arg("active"), nb::arg("stride") = triple(1))
      .def(
          "sparse_decompose",
          [](GraphBuilder& self, const PyValue& value) {
            const author::Decomposed parts = take(self.sparse_decompose(value.value));
            return nb::make_tuple(made(self, parts.coords), made(self, parts.features),
                                  made(self, parts.active));
          },
          input, "(coords, features, active)")
      .def("sparse_with_features", method(&GraphBuilder::sparse_with_features), input,
           nb::arg("features"))
      .def("sparse_reindex", method(&GraphBuilder::sparse_reindex), input, target,
           nb::arg("fill") = 0.0f)
      .def("sparse_binary", method(&GraphBuilder::sparse_binary), lhs, rhs, nb::arg("op"),
           nb::arg("join"), nb::arg("lhs_fill") = 0.0f, nb::arg("rhs_fill") = 0.0f,
           "op: add, sub, mul, maximum, minimum; join: inner, left, right, outer.")
      .def("sparse_cat", method(&GraphBuilder::sparse_cat), lhs, rhs, nb::arg("join"))
      .def("pool3d", method(&GraphBuilder::pool3d), input, nb::arg("mode"), nb::arg("kernel_size"),
           nb::arg("stride"), nb::arg("padding") = triple(0), nb::arg("dilation") = triple(1),
           "mode: sum, max, avg.")
      .def("pool_transpose3d", method(&GraphBuilder::pool_transpose3d), input,
           nb::arg("target").none(), nb::arg("kernel_size"), nb::arg("stride"),
           nb::arg("padding") = triple(0), nb::arg("dilation") = triple(1))
      .def("trilinear_upsample3d", method(&GraphBuilder::trilinear_upsample3d), input,
           nb::arg("target").none(), nb::arg("stride"))
      .def("global_pool", method(&GraphBuilder::global_pool), input, nb::arg("mode"),
           nb::arg("batch_size") = -1)
      .def("voxelize", method(&GraphBuilder::voxelize), nb::arg("points"), nb::arg("features"),
           nb::arg("batch_indices"), nb::arg("active_rows"), nb::arg("voxel_size"),
           nb::arg("origin"), nb::arg("reduction"), nb::arg("stride") = triple(1),
           nb::arg("dtype") = nb::none())
      .def("devoxelize", method(&GraphBuilder::devoxelize), nb::arg("points"), nb::arg("voxels"),
           nb::arg("batch_indices"), nb::arg("point_active_rows"), nb::arg("voxel_size"),
           nb::arg("origin"), nb::arg("interpolation"), nb::arg("dtype") = nb::none());
}

void add_convolutions(nb::class_<GraphBuilder>& builder) {
  const auto bias = [] { return nb::arg("bias").none() = nb::none(); };
  const auto stride = [](int value) { return nb::arg("stride") = triple(value); };
  const auto padding = [] { return nb::arg("padding") = triple(0); };
  const auto dilation = [] { return nb::arg("dilation") = triple(1); };
  const auto eps = [] { return nb::arg("eps") = 1e-8f; };
  builder
      .def("conv3d", method(&GraphBuilder::conv3d), input, weight_arg, bias(), stride(1), padding(),
           dilation(),
           "Weight (Cout, Kx, Ky, Kz, Cin); odd kernels are centred, so that padding 0 is what "
           "others call k / 2.")
      .def("subm_conv3d", method(&GraphBuilder::subm_conv3d), input, weight_arg, bias(), dilation())
      .def("normalized_subm_conv3d", method(&GraphBuilder::normalized_subm_conv3d), input,
           weight_arg, bias(), dilation(), eps())
      .def("target_conv3d", method(&GraphBuilder::target_conv3d), input, target, weight_arg, bias(),
           stride(1), padding(), dilation())
      .def("conv_transpose3d", method(&GraphBuilder::conv_transpose3d), input, weight_arg, bias(),
           stride(1), padding(), dilation())
      .def("target_conv_transpose3d", method(&GraphBuilder::target_conv_transpose3d), input, target,
           weight_arg, bias(), stride(1), padding(), dilation())
      .def("normalized_conv_transpose3d", method(&GraphBuilder::normalized_conv_transpose3d), input,
           weight_arg, bias(), stride(1), padding(), dilation(), eps())
      .def("target_normalized_conv_transpose3d",
           method(&GraphBuilder::target_normalized_conv_transpose3d), input, target, weight_arg,
           bias(), stride(1), padding(), dilation(), eps())
      .def("generative_conv_transpose3d", method(&GraphBuilder::generative_conv_transpose3d), input,
           weight_arg, bias(), stride(2))
      .def("normalized_generative_conv_transpose3d",
           method(&GraphBuilder::normalized_generative_conv_transpose3d), input, weight_arg, bias(),
           stride(2), eps());
}

void add_features(nb::class_<GraphBuilder>& builder) {
  builder
      .def("linear", method(&GraphBuilder::linear), input, weight_arg,
           nb::arg("bias").none() = nb::none())
      .def("elementwise", method(&GraphBuilder::elementwise), input, nb::arg("kind"),
           "kind: exp, round.")
      .def("softmax", method(&GraphBuilder::softmax), input, nb::arg("axis") = -1)
      .def("activation", method(&GraphBuilder::activation), input, nb::arg("kind"),
           nb::arg("approximate") = "none", nb::arg("alpha") = 0.01f, nb::arg("beta") = 1.0f,
           nb::arg("threshold") = 20.0f,
           "kind: relu, sigmoid, gelu, silu, leaky_relu, tanh, softplus.")
      .def("batch_norm", method(&GraphBuilder::batch_norm), input, nb::arg("scale"),
           nb::arg("bias"), nb::arg("mean"), nb::arg("var"), nb::arg("eps") = 1e-5f)
      .def("layer_norm", method(&GraphBuilder::layer_norm), input, nb::arg("scale"),
           nb::arg("bias"), nb::arg("eps") = 1e-5f)
      .def("rms_norm", method(&GraphBuilder::rms_norm), input, nb::arg("scale"),
           nb::arg("eps") = 1e-6f)
      .def("embedding_lookup", method(&GraphBuilder::embedding_lookup), nb::arg("indices"),
           weight_arg, nb::arg("dtype") = nb::none());
}

} // namespace
