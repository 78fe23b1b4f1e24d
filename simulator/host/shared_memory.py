"""How much shared memory a launch may give a block, as CUDA has it, and why it is refused."""

from __future__ import annotations

from simulator.execute.launch_config import Profile

#: What is wrong with a launch, and the remedy.
Refusal = tuple[str, str]


def launch_refusal(profile: Profile, static: int, dynamic: int, allowed: int) -> Refusal | None:
    """Return why a block cannot have its shared memory, or None if it can.

    Parameters
    ----------
    profile : Profile
        Where it is to be launched.
    static : int
        Bytes of the kernel's own shared variables, which no opt-in makes room for.
    dynamic : int
        Bytes that the launch asks for.
    allowed : int
        The kernel's `max_dynamic_shared_size_bytes`.

    Examples
    --------
    >>> from simulator.execute.launch_config import PROFILES
    >>> launch_refusal(PROFILES["h200"], 0, 100_000, 100_000) is None
    True
    >>> launch_refusal(PROFILES["gtx980"], 0, 60_000, 60_000)[0]
    'needs 60,000 bytes of shared memory a block'
    """
    if dynamic < 0:
        return f"launched with shared_mem={dynamic}", "It counts bytes from 0."
    wanted = static + dynamic
    opted_in = static <= profile.shared_per_block and 0 < dynamic <= allowed
    given = profile.shared_per_block_optin if opted_in else profile.shared_per_block
    if wanted <= given:
        return None
    return f"needs {wanted:,} bytes of shared memory a block", _remedy(profile, wanted, given)


def opt_in_refusal(profile: Profile, size: int) -> Refusal | None:
    """Return why a kernel's blocks cannot be allowed so much dynamic shared memory, or None.

    Parameters
    ----------
    profile : Profile
        The current device's.
    size : int
        What `max_dynamic_shared_size_bytes` is to be.
    """
    if 0 <= size <= profile.shared_per_block_optin:
        return None
    what = f"cannot be allowed {size:,} bytes of dynamic shared memory a block"
    if size < 0:
        return what, "It counts bytes from 0."
    return what, _remedy(profile, size, profile.shared_per_block_optin)


def _remedy(profile: Profile, wanted: int, given: int) -> str:
    most = profile.shared_per_block_optin
    if wanted > most:
        return f"{profile.title} gives a block {most:,} at most; use smaller shared arrays."
    return (
        f"{profile.title} gives a block {given:,}; use smaller shared arrays, or\n"
        "dynamic ones and set the kernel's max_dynamic_shared_size_bytes first."
    )
