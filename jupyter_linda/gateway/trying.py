"""Trying a connection before it is kept: its list of models, then one word from the first of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ProviderFault
from .detect import list_models
from .places import is_here

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..schemas import ProviderInput
    from .client import LitellmModel
    from .providers import Providers


async def try_connection(
    model: LitellmModel, providers: Providers, name: str, wish: ProviderInput, *, is_offline: bool
) -> dict[str, Any]:
    """What became of it, as `schemas.ProviderTest` has it: {"ok", "message", "remedy", "detail", "models"}.

    While the person is offline only what runs on this machine is tried.
    """
    if is_offline and not all(is_here(wish, one) for one in wish.models or ("",)):
        return _result(
            "Nothing was sent: “offline” is on.",
            remedy="Switch it off under Permissions > What may leave, then test again.",
        )
    listed: list[str] = []
    try:
        listed = await list_models(providers.draft(name, wish, ""))
    except ProviderFault as fault:
        if not wish.models:  # with one named, that one's answer tells more
            return _result(fault.message, remedy=fault.remedy)
    wanted = next(iter(wish.models or tuple(listed)), "")
    if not wanted and wish.base_url:
        return _result("Nothing at this address lists models.", remedy="Check the address, or name a model to test.")
    if not wanted:
        return _result("No model is named.", remedy="Name a model to test.")
    try:
        said = await model.test(providers.draft(name, wish, wanted), wanted)
    except ProviderFault as fault:
        return _result(fault.message, remedy=fault.remedy, detail=fault.words, models=listed)
    return _result(f"{wanted} answered: {said[:60]}" if said else f"{wanted} answered.", ok=True, models=listed)


def _result(
    message: str, *, ok: bool = False, remedy: str = "", detail: str = "", models: Sequence[str] = ()
) -> dict[str, Any]:
    return {"ok": ok, "message": message, "remedy": remedy, "detail": detail, "models": list(models)}
