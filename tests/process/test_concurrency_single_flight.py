import asyncio
import gc

from bot.process.concurrency import SingleFlight


class Work:
    """Work that ends when it is told to, and counts how often it was begun."""

    def __init__(self, result: str | Exception = "done") -> None:
        self.result = result
        self.times_begun = 0
        self.has_begun, self.may_end = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> str:
        self.times_begun += 1
        self.has_begun.set()
        await self.may_end.wait()
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


async def begun(work: Work) -> None:
    await work.has_begun.wait()


async def test_an_error_reaches_all_callers_and_is_not_kept() -> None:
    flights: SingleFlight[str, str] = SingleFlight()
    work = Work(RuntimeError("broken"))
    work.may_end.set()

    results = await asyncio.gather(
        *(flights.run("a", work) for _ in range(3)), return_exceptions=True
    )
    work.result = "mended"

    assert [str(result) for result in results] == ["broken"] * 3
    assert await flights.run("a", work) == "mended"
    assert work.times_begun == 2


async def test_different_keys_do_not_wait_for_each_other() -> None:
    flights: SingleFlight[str, str] = SingleFlight()
    slow, quick = Work(), Work("quick")
    waiting = asyncio.create_task(flights.run("slow", slow))
    quick.may_end.set()

    assert await flights.run("quick", quick) == "quick"
    slow.may_end.set()
    assert await waiting == "done"


async def test_a_cancelled_caller_does_not_stop_the_others() -> None:
    flights: SingleFlight[str, str] = SingleFlight()
    work = Work()
    leaving, staying = (asyncio.create_task(flights.run("a", work)) for _ in range(2))
    await begun(work)

    leaving.cancel()
    await asyncio.wait({leaving})
    work.may_end.set()

    assert leaving.cancelled()
    assert await staying == "done"


async def test_an_error_without_callers_is_not_logged_by_asyncio() -> None:
    complaints: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: complaints.append(context))
    flights: SingleFlight[str, str] = SingleFlight()
    work = Work(RuntimeError("broken"))
    asker = asyncio.create_task(flights.run("a", work))
    await begun(work)

    asker.cancel()
    await asyncio.wait({asker})
    work.may_end.set()
    for _ in range(5):  # turns of the loop until the work has ended
        await asyncio.sleep(0)
    del asker  # its traceback holds the work
    gc.collect()

    assert complaints == []
