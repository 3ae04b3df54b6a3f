"""Functions that the actions share."""

from .evaluate_parameters import evaluate_parameter_dict, evaluate_parameters
from .namespace_utils import (
    is_namespace_absolute,
    is_root_namespace,
    make_namespace_absolute,
    prefix_namespace,
)
from .normalize_parameters import normalize_parameter_dict, normalize_parameters
from .normalize_remap_rule import normalize_remap_rule, normalize_remap_rules

__all__ = [
    "evaluate_parameter_dict",
    "evaluate_parameters",
    "is_namespace_absolute",
    "is_root_namespace",
    "make_namespace_absolute",
    "normalize_parameter_dict",
    "normalize_parameters",
    "normalize_remap_rule",
    "normalize_remap_rules",
    "prefix_namespace",
]
