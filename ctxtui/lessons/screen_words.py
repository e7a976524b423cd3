"""The words around a lesson in Chinese: titles, borders, heads of columns, keys.

The English ones stand where they are drawn and are looked up here by what they say; what is not
here stays English, as names of operations, roles and JSON keys do. What a lesson asks and judges
in is in ``words``.
"""

from __future__ import annotations

from collections.abc import Mapping

CHINESE: Mapping[str, str] = {
    # Above the panes
    "Library": "库",
    "Lessons": "课程",
    "practice copy, nothing is saved": "练习副本，不会保存",
    "nothing is saved; progress can't be kept": "不会保存，进度也无法保留",
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
    "everything ever added": "加入过的全部消息",
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
