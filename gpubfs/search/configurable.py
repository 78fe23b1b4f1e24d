"""What has options, and machines that it runs on: techniques, and structures of graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gpubfs.errors import UsageError, unknown
from gpubfs.search.option import AUTO, Option, Value

if TYPE_CHECKING:
    from gpubfs.graphs import Graph
    from gpubfs.machines import Machine


class Configurable:
    """What is described by its name, its options, and the machines that it runs on.

    Attributes
    ----------
    name : str
        What it is called.
    options : tuple of Option
        What its user may choose.
    machines : tuple of str
        Where it runs.
    refused : mapping
        Options that it has not for a reason, and the reason.
    """

    name: str
    options: tuple[Option, ...]
    machines: tuple[str, ...]
    refused: Mapping[str, str]

    def complete(self, given: Mapping[str, object], warp_size: int = 32) -> dict[str, Value]:
        """Return a value for every option: those given, checked, and defaults for the rest.

        Parameters
        ----------
        given : mapping
            Values by option name; a hyphen may stand for an underscore.
        warp_size : int
            Lanes of the machine's warps.

        Returns
        -------
        dict
            A value for each option, by the option's name.

        Raises
        ------
        UsageError
            For an option that the technique has not, or a value that the option does not allow, or
            that changes nothing beside the others.
        """
        values = {option.name: option.fitting(warp_size) for option in self.options}
        for key, value in given.items():
            option = self._option(str(key).replace("-", "_"))
            values[option.name] = option.parse(value)
        for option in self.options:
            option.check_warps(values[option.name], warp_size)
            option.check_effect(values, warp_size)
        return values

    def defines(self, values: Mapping[str, Value]) -> dict[str, str]:
        """Return the macros to compile the kernel file with, for complete option `values`.

        What is still "auto" has none: the file's own default stands.

        Parameters
        ----------
        values : mapping
            A value for each option.

        Returns
        -------
        dict of str to str
            Macros and what they stand for.
        """
        left = {option for option in self.options if option.choose and values[option.name] == AUTO}
        known = (option for option in self.options if option.define and option not in left)
        return {option.define: option.macro(values[option.name]) for option in known}

    def settled(
        self, values: Mapping[str, Value], graph: Graph, machine: Machine
    ) -> dict[str, Value]:
        """Return complete option `values` with those that are "auto" chosen, in their order.

        What changes nothing beside what was chosen has its default again, so that the same values
        can be given to another run.

        Parameters
        ----------
        values : mapping
            A value for each option.
        graph : Graph
            What is searched.
        machine : Machine
            Where it is searched.

        Returns
        -------
        dict
            A value for each option, by the option's name.
        """
        settled = dict(values)
        for option in self.options:
            if option.choose and settled[option.name] == AUTO:
                settled[option.name] = option.choose(graph, machine, settled)
                option.check_warps(settled[option.name], machine.warp_size)
        for option in self.options:
            if not option.changes(settled):
                settled[option.name] = option.fitting(machine.warp_size)
        return settled

    def check_machine(self, machine: str) -> None:
        """Check that the technique runs on a machine.

        Parameters
        ----------
        machine : str
            "sim" or "gpu".

        Raises
        ------
        UsageError
            If it does not.
        """
        if machine not in self.machines:
            known = " and ".join(self.machines)
            raise UsageError(f"{self.name} does not run on {machine}", f"it runs on {known}")

    def _option(self, name: str) -> Option:
        for option in self.options:
            if option.name == name:
                return option
        if name in self.refused:
            raise UsageError(
                f"{self.name} has no {name}: {self.refused[name]}", f"leave {name} out"
            )
        raise unknown(f"option of {self.name} named", name, [o.name for o in self.options])
