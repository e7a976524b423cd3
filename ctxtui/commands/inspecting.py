"""What can be done on the inspector, and what its line of keys says in each pane and view."""

from __future__ import annotations

from ctxtui.commands.command import Command
from ctxtui.commands.reviewing import REVIEW

INSPECTOR: tuple[Command, ...] = (
    Command("a", "operate('APPEND')", "Append", "Add messages at the end", "change"),
    Command("i", "operate('INSERT')", "Insert", "Add messages at a position", "change"),
    Command("r", "operate('REPLACE')", "Replace", "Put another message in its place", "change"),
    Command("t", "operate('TRUNCATE')", "Truncate", "Keep or remove a stretch", "change"),
    Command("s", "operate('COMPRESS')", "Compress", "Put a summary in place of messages", "change"),
    Command(
        "f",
        "operate('FILTER')",
        "Filter by rule",
        "Keep the messages that pass conditions",
        "change",
    ),
    Command("c", "operate('CLEAR')", "Clear", "Hide everything but system messages", "change"),
    Command("d", "operate('DELETE')", "Delete", "Hide the selected messages", "change"),
    Command("asterisk", "keep_only", "Keep only", "Hide all but the selected messages", "change"),
    Command("x", "operate('REDACT')", "Redact", "Clear texts and tool results", "change"),
    Command("b", "operate('BATCH_START')", "Start a batch", "Open a batch by hand", "change"),
    Command("F", "operate('REPAIR')", "Repair", "Make tool calls and results fit again", "change"),
    Command("X", "repair('drop')", "Drop", "Repair: hide halves of broken pairs", "change"),
    Command("E", "repair('restore')", "Restore", "Repair: bring missing halves back", "change"),
    Command("H", "repair('stub')", "Stub", "Repair: stand-ins for missing results", "change"),
    Command("o", "operations", "All", "Show all operations", "change"),
    Command("K", "offer", "Offer", "Preview the cut offered above the threshold", "change"),
    Command("p", "put_back", "Put back", "Put a copy of a hidden message back", "change"),
    Command("m", "mark", "Mark", "Put a label on the message, or take it off", "change"),
    Command(
        "comma", "operate('CONFIGURE')", "Settings", "Counter, limit, policy, profile", "change"
    ),
    Command("R", "roll_back", "Roll back", "Roll back to the batch that is looked at", "time"),
    Command("u", "undo", "Undo", "Take back the newest change", "time"),
    Command("U,ctrl+r", "redo", "Redo", "Make the change again that was undone last", "time"),
    Command("T", "switch_off", "Toggle", "Switch the looked-at batch's operation off", "time"),
    Command("equals_sign", "diff", "Diff", "Compare the looked-at batch with now", "look"),
    Command("w", "what_if", "What-if", "Try recipes side by side", "look"),
    Command("I", "calls", "Call", "See what was really sent, and what it cost", "look"),
    *REVIEW,
    Command("semicolon", "note", "Note", "Write a note about the message", "keep"),
    Command("M", "record", "Record", "Save batches as a recipe", "keep"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("D", "squash", "Squash", "Make a session of what is visible, and open it", "keep"),
    Command("Z", "split", "Split", "Two sessions: before this message, and on", "keep"),
    Command("f2", "warnings", "Warnings", "List what importing the file changed or lost", "keep"),
    Command("J", "check", "Check", "Check every invariant of the session", "keep"),
    Command("S,ctrl+s", "save", "Save", "Fold everything into the session's file", "keep"),
    Command("O", "library", "Library", "Close the session and show all of them", "keep"),
    Command("e", "export", "Export", "Write the conversation to a file", "keep"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest"),
)
"""Changing, keeping and leaving a conversation."""

EXPLORER: tuple[Command, ...] = (
    Command("left_square_bracket,h", "step(-1)", "Step", "Look at the batch before", "time"),
    Command("right_square_bracket,l", "step(1)", "Later", "Look at the batch after", "time"),
    Command("B", "bisect", "Culprit", "Go to the first batch with an error and such", "time"),
    Command("slash", "search", "Search", "Find text in every message", "look"),
    Command("n", "next_hit(1)", "Next", "Go to the next message found", "look"),
    Command("N", "next_hit(-1)", "Previous", "Go to the message found before", "look"),
    Command("colon", "go_to", "Go to", "Go to a raw index, or with # to a batch", "look"),
    Command("ampersand", "filter", "Filter", "Choose what the lists or the view show", "look"),
    Command("y", "copy", "Copy", "Copy the message to the clipboard", "look"),
    Command("Y", "copy_all", "Copy all", "Copy the visible projection as JSON", "look"),
    Command("L", "view('lint-view')", "Lint", "See what a provider would refuse", "look"),
    Command("z", "zoom", "Maximise", "Give the pane the whole screen, or take it back", "look"),
    Command("V", "markdown", "Markdown", "Lay the message out as Markdown, or as it is", "look"),
    Command("1", "pane('raw')", "Raw", "Go to the raw array", "panes"),
    Command("2", "pane('visible')", "Visible", "Go to the visible projection", "panes"),
    Command("3", "pane('message')", "Message", "Go to the message", "panes"),
    Command("4", "pane('timeline')", "Timeline", "Go to the batch timeline", "panes"),
    Command("tab", "next_pane(1)", "Next pane", "Go to the next pane", "panes"),
    Command("shift+tab", "next_pane(-1)", "Pane before", "Go to the pane before", "panes"),
    Command(
        "5", "next_view", "Views", "Go through roles, mark map, journal, tokens, lint", "panes"
    ),
    Command(
        "W",
        "turn_over",
        "Arrays or state",
        "Show the index arrays, or state and snapshots",
        "panes",
    ),
    Command("at", "fields", "Fields", "Show what the file had beside its messages", "panes"),
    Command("escape", "back", "Back", "Return to the present, or to the inspector", "time"),
)
"""Looking around in a conversation."""

PANES: tuple[Command, ...] = (
    Command("space", "select", "Select", "Select the message, or take it out again", "look"),
    Command("v", "select_range", "Select range", "Select from here to where v comes again", "look"),
)
"""Selecting in the lists of messages."""

INSPECTING = (*EXPLORER, *PANES, *INSPECTOR)
"""Everything that can be done on the inspector."""

KEYS_OF_OPERATIONS = {
    command.action.split("'")[1]: command.shown_keys()
    for command in INSPECTOR
    if command.action.startswith("operate")
}
"""The keys that open the form of an operation, by its name."""

KEYS_OF_REPAIRS = {
    command.action.split("'")[1]: command.shown_keys()
    for command in INSPECTOR
    if command.action.startswith("repair")
}
"""The keys that repair at once, by the way they do it."""
