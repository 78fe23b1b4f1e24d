"""Templates of functions, and what those of classes share with them."""

from simulator.check.templates.arguments import bound_by_position
from simulator.check.templates.calls import (
    call,
    instance_named,
    instance_of_type,
    parameter_types,
)
from simulator.check.templates.declaration import declare_template, is_same
from simulator.check.templates.deduction import (
    Bound,
    Given,
    deduce_arguments,
    flat,
    mentioned,
    opened,
)
from simulator.check.templates.instances import (
    instance,
    instance_name,
    instance_scope,
    scope_with,
)
from simulator.check.templates.most_special import fit_arguments, is_more_special
from simulator.check.templates.packs import written_out
from simulator.check.templates.trials import Trial, trials

__all__ = [
    "Bound",
    "Given",
    "Trial",
    "bound_by_position",
    "call",
    "declare_template",
    "deduce_arguments",
    "fit_arguments",
    "flat",
    "instance",
    "instance_name",
    "instance_named",
    "instance_of_type",
    "instance_scope",
    "is_more_special",
    "is_same",
    "mentioned",
    "opened",
    "parameter_types",
    "scope_with",
    "trials",
    "written_out",
]
