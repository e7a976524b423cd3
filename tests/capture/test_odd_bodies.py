"""Bodies that can't be kept as they were sent: what is lost of them is little, and told."""

from __future__ import annotations

import json
from typing import Any

from core.formats.requests import Requests
from tests.capture.conftest import Rig, asking


async def test_a_number_that_json_has_not_is_told_also_when_the_call_is_exported(rig: Rig) -> None:
    body = json.dumps(asking(temperature=float("nan"), top_p=float("inf"), seed=float("nan")))
    await rig.ask(data=body)
    await rig.until(1)
    told = "numbers that JSON has not are read as null: NaN, Infinity"
    assert rig.kept[0].recorded.notices == (told,)
    written = Requests().write(rig.conversation())
    assert written.problems == (told,)
    assert '"temperature": null' in written.text


async def test_a_parameter_that_is_nested_too_deep_is_left_out_of_its_call(rig: Rig) -> None:
    deep: Any = "bottom"
    for _ in range(150):
        deep = [deep]
    await rig.ask(json=asking(odd=deep, seed=7), headers={"authorization": "Bearer k-0123456789ab"})
    await rig.until(1)
    assert rig.conversation().calls[0].parameters == {"seed": 7}
