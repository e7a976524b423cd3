"""What the app itself says in a lesson, in each of its languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxtui.core.lessons import Lesson, LessonText, Prediction
from ctxtui.lessons.models import LessonProgress, QuestionPart

PREDICT = LessonText(en="PREDICT", zh="预测")
PICK = LessonText(en="Pick rows with space.", zh="用空格键选择行。")
PICK_AND_CHOOSE = LessonText(
    en="Pick rows with space, then one answer here:", zh="用空格键选择行，再在这里选一个答案："
)
PICK_AND_TYPE = LessonText(
    en="Pick rows with space, then type a number:", zh="用空格键选择行，再输入一个数字："
)
CHOOSE = LessonText(en="Choose an answer by its number:", zh="按数字键选择答案：")
TYPE = LessonText(en="Type a number:", zh="输入一个数字：")
REVEAL = LessonText(en="Reveal", zh="揭晓")
NEXT = LessonText(en="Next step", zh="下一步")
NEXT_LESSON = LessonText(en="Next lesson", zh="下一课")
LEAVE = LessonText(en="Leave", zh="离开")
HINT = LessonText(en="Hint", zh="提示")
RIGHT = LessonText(en="Right.", zh="正确。")
PARTLY = LessonText(en="Partly right.", zh="部分正确。")
WRONG = LessonText(en="Not quite.", zh="不太对。")
UNANSWERED = LessonText(en="Not answered.", zh="没有作答。")
FIRST = LessonText(
    en="Answer first: {parts}; s shows the answer.",
    zh="请先作答：{parts}；按 s 直接揭晓。",
)
MISSING: Mapping[QuestionPart, LessonText] = {
    "rows": LessonText(
        en="pick rows with space (n for none)", zh="用空格键选择行（一行都不选按 n）"
    ),
    "number": LessonText(en="type a number", zh="输入一个数字"),
    "answer": LessonText(en="choose one by its number", zh="按数字键选择答案"),
}
YOURS = LessonText(en="yours", zh="你的")
SIMPLER = LessonText(en="A simpler rule", zh="较简单的规则")
REFUSED = LessonText(en="Refused:", zh="被拒绝：")
SO_FAR = LessonText(en="So far", zh="目前进度")
STILL_OPEN = LessonText(en="; backspace leads back to the others.", zh="；按退格键可以回去补答。")
THE_END = LessonText(en="The end.", zh="本课结束。")


def instruction(asked: Prediction) -> LessonText:
    """Return what the learner has to do to answer."""
    if asked.rows is not None:
        if asked.answers:
            return PICK_AND_CHOOSE
        return PICK if asked.number is None else PICK_AND_TYPE
    return CHOOSE if asked.answers else TYPE


def first_words(missing: Sequence[QuestionPart], language: str) -> str:
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


def progress_words(lesson: Lesson, progress: LessonProgress, language: str) -> str:
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


# The words around a lesson in Chinese: titles, borders, heads of columns, keys.

CHINESE: Mapping[str, str] = {
    # Above the panes
    "Library": "库",
    "Lessons": "课程",
    "practice copy, nothing is saved": "练习副本，不会保存",
    "nothing is saved, not even progress": "不会保存，进度也无法保留",
    # Titles of panes
    "The story": "故事",
    "Raw": "原始日志",
    "Visible": "可见",
    "Visible before {operation}": "执行前可见：{operation}",
    "Visible after {operation}": "执行后可见：{operation}",
    "Which rows": "哪些行",
    "A simpler rule": "较简单的规则",
    "Timeline": "时间线",
    "Index arrays": "索引数组",
    "Lesson": "本课",
    # What borders and rows say
    "all messages": "加入过的全部消息",
    "what the model is sent": "发送给模型的",
    "Nothing is sent.": "什么也不发送。",
    "your prediction: ": "你的预测：",
    "{count} picked": "已选 {count}",
    "none of them": "都不选",
    "picked {messages}, {tokens} tokens": "已选 {count} 条消息，{tokens} token",
    "{count} not sent": "不发送 {count}",
    "{count} missed": "漏选 {count}",
    "{count} right": "正确 {count}",
    "right": "正确",
    "missed": "漏选",
    "not sent": "不发送",
    "new": "新",
    "other branch": "其他分支",
    "not applied yet": "尚未执行",
    "{batches}": "{count} 个批次",
    "{messages}": "{count} 条消息",
    "covered": "已遮住",
    "live": "当前",
    "{done} of {lessons} done": "{count} 课中已完成 {done} 课",
    "There are no lessons here.": "这里没有课程。",
    # What is told in passing, and by the command line
    "This is the first step": "这已经是第一步",
    "There is no next lesson": "没有下一课了",
    "The lesson is not at its end": "本课还没有结束",
    "ctxtui learn NAME opens one; --lang zh or en chooses the language.": (
        "ctxtui learn NAME 打开一课；--lang zh 或 en 选择语言。"
    ),
    # Keys
    "pick": "选择",
    "answer": "作答",
    "type a number": "输入数字",
    "number": "数字",
    "none": "无",
    "reveal": "揭晓",
    "next step": "下一步",
    "next": "继续",
    "show answer": "看答案",
    "show": "答案",
    "next lesson": "下一课",
    "rub out": "删一位",
    "step back": "退一步",
    "back": "返回",
    "hint": "提示",
    "restart": "重来",
    "try it yourself": "动手试试",
    "try it": "试试",
    "pane": "窗格",
    "leave": "离开",
    "help": "帮助",
    "lesson": "课程",
    "move": "移动",
    "open it": "打开",
    "open": "打开",
    "library": "库",
    "quit": "退出",
}
"""What is said instead of an English text, with the same values in braces or fewer of them."""

HEADS: Mapping[str, tuple[str, ...]] = {
    "raw": ("原始", "原"),
    "pos": ("位置", "位"),
    "role": ("角色",),
    "message": ("消息",),
    "tokens": ("token",),
    "sent": ("发送",),
    "no.": ("编号",),
    "operation": ("操作",),
    "calls": ("调用",),
    "add": ("加入", "加"),
    "hide": ("隐藏",),
    "vis": ("可见", "见"),
    "lint": ("检查",),
}
"""The names of columns, the ones to use where there is room first."""


def say(text: str, language: str, **values: object) -> str:
    """Return a text of the screen in a language, with its values filled in."""
    said = CHINESE.get(text, text) if language == "zh" else text
    return said.format(**values) if values else said
