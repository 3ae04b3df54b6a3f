"""The number of lanes."""

WIDE = 16  # numbers of float32: one AVX-512 register, or two or four smaller ones
