"""What the app itself says in a lesson, in each of its languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxtui.core.lessons import Lesson
from ctxtui.core.lessons.lesson import Prediction, Said
from ctxtui.lessons.answers import Part
from ctxtui.lessons.progress import Progress

PREDICT = Said(en="PREDICT", zh="预测")
PICK = Said(en="Pick rows with space.", zh="用空格键选择行。")
PICK_AND_CHOOSE = Said(
    en="Pick rows with space, then one answer here:", zh="用空格键选择行，再在这里选一个答案："
)
PICK_AND_TYPE = Said(
    en="Pick rows with space, then type a number:", zh="用空格键选择行，再输入一个数字："
)
CHOOSE = Said(en="Choose an answer by its number:", zh="按数字键选择答案：")
TYPE = Said(en="Type a number:", zh="输入一个数字：")
REVEAL = Said(en="Reveal", zh="揭晓")
NEXT = Said(en="Next step", zh="下一步")
NEXT_LESSON = Said(en="Next lesson", zh="下一课")
LEAVE = Said(en="Leave", zh="离开")
HINT = Said(en="Hint", zh="提示")
RIGHT = Said(en="Right.", zh="正确。")
PARTLY = Said(en="Partly right.", zh="部分正确。")
WRONG = Said(en="Not quite.", zh="不太对。")
UNANSWERED = Said(en="Not answered.", zh="没有作答。")
FIRST = Said(
    en="Your answer first: {parts}; s shows it without one.",
    zh="请先作答：{parts}；按 s 直接揭晓。",
)
MISSING: Mapping[Part, Said] = {
    "rows": Said(en="pick rows with space (n for none)", zh="用空格键选择行（一行都不选按 n）"),
    "number": Said(en="type a number", zh="输入一个数字"),
    "answer": Said(en="choose one by its number", zh="按数字键选择答案"),
}
YOURS = Said(en="yours", zh="你的")
SIMPLER = Said(en="A simpler rule", zh="较简单的规则")
REFUSED = Said(en="Refused:", zh="被拒绝：")
SO_FAR = Said(en="So far", zh="目前进度")
STILL_OPEN = Said(en="; backspace leads back to the others.", zh="；按退格键可以回去补答。")
THE_END = Said(en="The end.", zh="本课结束。")


def told_to_do(asked: Prediction) -> Said:
    """Return what the learner has to do to answer."""
    if asked.rows is not None:
        if asked.answers:
            return PICK_AND_CHOOSE
        return PICK if asked.number is None else PICK_AND_TYPE
    return CHOOSE if asked.answers else TYPE


def first_words(missing: Sequence[Part], language: str) -> str:
    """Return what is asked of a learner who wants to go on without an answer."""
    joint = "，再" if language == "zh" else ", then "
    parts = joint.join(MISSING[part].to(language) for part in missing)
    return FIRST.to(language).format(parts=parts)


def place_words(place: int, count: int, language: str) -> str:
    """Return which lesson of its series it is."""
    return f"第 {place}/{count} 课" if language == "zh" else f"Lesson {place} of {count}"


def step_words(place: int, count: int, language: str) -> str:
    """Return which step of a lesson it is."""
    return f"第 {place}/{count} 步" if language == "zh" else f"step {place} of {count}"


def score_words(right: int, asked: int, language: str) -> str:
    """Return how many questions were answered rightly."""
    return f"答对 {right}/{asked}" if language == "zh" else f"{right} of {asked} right"


def answered_words(answered: int, asking: int, language: str) -> str:
    """Return how many questions were answered of those there are."""
    return f"已答 {answered}/{asking}" if language == "zh" else f"{answered} of {asking} answered"


def progress_words(lesson: Lesson, progress: Progress, language: str) -> str:
    """Return how far a lesson was taken, in a few words."""
    count, at = len(lesson.steps), progress.place_in(lesson) + 1
    right, asked = progress.score(lesson)
    is_chinese = language == "zh"
    if not progress.is_begun:
        return f"共 {count} 步" if is_chinese else f"{count} steps"
    comma = "，" if is_chinese else ", "
    if progress.is_done(lesson):
        words = "已完成" if is_chinese else "done"
    elif progress.is_seen:
        words = "已看完" if is_chinese else "seen"
        return words + comma + answered_words(*progress.answered(lesson), language)
    else:
        words = step_words(at, count, language)
    return words + comma + score_words(right, asked, language) if asked else words
