"""What the app itself says in a lesson: in English, and by one table in Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxtui.core.lessons import Lesson, Prediction
from ctxtui.lessons.models import LessonProgress, QuestionPart

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
    # The story
    "PREDICT": "预测",
    "Pick rows with space.": "用空格键选择行。",
    "Pick rows with space, then one answer here:": "用空格键选择行，再在这里选一个答案：",
    "Pick rows with space, then type a number:": "用空格键选择行，再输入一个数字：",
    "Choose an answer by its number:": "按数字键选择答案：",
    "Type a number:": "输入一个数字：",
    "Answer first: {parts}; s shows the answer.": "请先作答：{parts}；按 s 直接揭晓。",
    "pick rows with space (n for none)": "用空格键选择行（一行都不选按 n）",
    "choose one by its number": "按数字键选择答案",
    ", then ": "，再",
    "Reveal": "揭晓",
    "Next step": "下一步",
    "Next lesson": "下一课",
    "Leave": "离开",
    "Hint": "提示",
    "Right.": "正确。",
    "Partly right.": "部分正确。",
    "Not quite.": "不太对。",
    "Not answered.": "没有作答。",
    "yours": "你的",
    "Refused:": "被拒绝：",
    "So far": "目前进度",
    "; backspace leads back to the others.": "；按退格键可以回去补答。",
    "The end.": "本课结束。",
    # Progress
    "Lesson {place} of {lessons}": "第 {place}/{lessons} 课",
    "step {place} of {steps}": "第 {place}/{steps} 步",
    "{right} of {asked} right": "答对 {right}/{asked}",
    "{answered} of {asking} answered": "已答 {answered}/{asking}",
    "{steps} steps": "共 {steps} 步",
    "done": "已完成",
    "seen": "已看完",
    ", ": "，",
    # Toasts, and the command line
    "This is the first step": "这已经是第一步",
    "There is no next lesson": "没有下一课了",
    "The lesson is not at its end": "本课还没有结束",
    "ctxtui learn NAME opens one; --lang zh or en chooses the language.": (
        "ctxtui learn NAME 打开一课；--lang zh 或 en 选择语言。"
    ),
    # Keys
    "pick": "选择",
    "answer": "作答",
    "type a number": "输入一个数字",
    "reveal": "揭晓",
    "next step": "下一步",
    "next": "切换",
    "show answer": "看答案",
    "next lesson": "下一课",
    "rub out": "删一位",
    "step back": "退一步",
    "hint": "提示",
    "restart": "重来",
    "try it yourself": "动手试试",
    "back": "返回",
    "help": "帮助",
    "lesson": "课程",
    "open": "打开",
    "library": "库",
    "quit": "退出",
}
"""A Chinese text by the English one, with the same values in braces or fewer of them."""

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

MISSING: Mapping[QuestionPart, str] = {
    "rows": "pick rows with space (n for none)",
    "number": "type a number",
    "answer": "choose one by its number",
}


def say(text: str, language: str, **values: object) -> str:
    """Return a text of the screen in a language, with its values filled in."""
    said = CHINESE.get(text, text) if language == "zh" else text
    return said.format(**values) if values else said


def instruction(asked: Prediction) -> str:
    """Return what the learner has to do to answer."""
    if asked.rows is None:
        return "Choose an answer by its number:" if asked.answers else "Type a number:"
    if asked.answers:
        return "Pick rows with space, then one answer here:"
    if asked.number is None:
        return "Pick rows with space."
    return "Pick rows with space, then type a number:"


def first_words(missing: Sequence[QuestionPart], language: str) -> str:
    """Return what is asked of a learner who wants to continue without an answer."""
    parts = say(", then ", language).join(say(MISSING[part], language) for part in missing)
    return say("Answer first: {parts}; s shows the answer.", language, parts=parts)


def step_words(place: int, steps: int, language: str) -> str:
    """Return which step of a lesson it is."""
    return say("step {place} of {steps}", language, place=place, steps=steps)


def score_words(right: int, asked: int, language: str) -> str:
    """Return how many questions were answered right."""
    return say("{right} of {asked} right", language, right=right, asked=asked)


def answered_words(answered: int, asking: int, language: str) -> str:
    """Return how many questions were answered, of how many."""
    return say("{answered} of {asking} answered", language, answered=answered, asking=asking)


def progress_words(lesson: Lesson, progress: LessonProgress, language: str) -> str:
    """Return the progress in a lesson, in a few words."""
    steps = len(lesson.steps)
    if not progress.is_begun:
        return say("{steps} steps", language, steps=steps)
    right, asked = progress.score(lesson)
    score = score_words(right, asked, language) if asked else ""
    if progress.is_done(lesson):
        words = say("done", language)
    elif progress.is_seen:
        words, score = say("seen", language), answered_words(*progress.answered(lesson), language)
    else:
        words = step_words(progress.place_in(lesson) + 1, steps, language)
    return words + say(", ", language) + score if score else words
