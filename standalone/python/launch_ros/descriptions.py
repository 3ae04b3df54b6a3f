"""Parameter descriptions of nodes."""

from rigid_tree_stand_in import missing_name

from .parameter_descriptions import ParameterValue as ParameterValue

__getattr__ = missing_name(__name__)
