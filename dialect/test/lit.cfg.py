# How lit runs these tests: each file's RUN lines, with the tools that CMake passes by -D.
import os

import lit.formats

config.name = "lattice dialect"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["exec_root"]
config.substitutions.append(("%lattice-opt", lit_config.params["lattice_opt"]))
config.substitutions.append(("%FileCheck", lit_config.params["filecheck"]))
config.substitutions.append(("%dialect", os.path.dirname(config.test_source_root)))
