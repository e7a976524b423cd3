"use strict";
// A lesson, step by step. Texts come from the data and are only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.getElementById("lesson");
const given = data.steps.map(() => ({ rows: new Set(), number: "", answer: null, shown: false, hint: false, asked: false }));
let at = 0;
let language = data.language;
const COVER = "▒▒▒▒▒▒"; // As long over every answer, so that it does not give one away.

const say = (name) => data.labels[name][language];
const NUMBER = /^-?\d+$/;
// What is no part of a whole number is never in the field, whoever typed or pasted it.
const digits = (text) => text.normalize("NFKC").replace(/[^\d-]/g, "").replace(/(?!^)-/g, "");
const same = (a, b) => a.length === b.length && a.every((one, i) => one === b[i]);

function make(tag, kind, ...inside) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  made.append(...inside.filter((one) => one !== null && one !== undefined));
  return made;
}

function button(text, kind, act) {
  const made = make("button", kind, text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

const lines = (texts, kind) => texts.map((text) => make("p", kind, text));
const isOpen = () => !data.steps[at].question || given[at].shown;

function verdicts() {
  const asked = data.steps[at].question, mine = given[at], found = [];
  if (asked.rows !== null) {
    const picked = [...mine.rows].sort((a, b) => a - b);
    found.push(same(picked, [...asked.rows].sort((a, b) => a - b)));
  }
  if (asked.number !== null) {
    found.push(NUMBER.test(mine.number) && Math.abs(Number(mine.number) - asked.number) <= asked.within);
  }
  if (asked.rightAnswer !== null) found.push(mine.answer === asked.rightAnswer);
  return found;
}

function isAnswered() {
  const asked = data.steps[at].question, mine = given[at];
  return !((asked.rows !== null && !mine.rows.size) || (asked.number !== null && !NUMBER.test(mine.number))
    || (asked.rightAnswer !== null && mine.answer === null));
}

// Where only rows are picked, none of them is an answer too.
function counts() {
  const asked = data.steps[at].question, mine = given[at];
  return mine.rows.size || NUMBER.test(mine.number) || mine.answer !== null
    || (asked.number === null && asked.rightAnswer === null);
}

function on() {
  if (!isOpen() && !isAnswered() && !given[at].asked) given[at].asked = true;
  else if (!isOpen()) given[at].shown = true;
  else if (at < data.steps.length - 1) at += 1;
  draw();
}

function back() {
  if (data.steps[at].question && given[at].shown) given[at].shown = given[at].asked = false;
  else if (at > 0) at -= 1;
  draw();
}

function choose(number) {
  const asked = data.steps[at].question;
  if (asked && !given[at].shown && number < asked.answers[language].length) {
    given[at].answer = number;
    draw();
  }
}

function pick(raw) {
  const rows = given[at].rows;
  if (!rows.delete(raw)) rows.add(raw);
  draw();
}

function story(step) {
  const told = make("section", "story", make("h2", "", step.brief[language]), ...lines(step.story[language]));
  for (const one of step.operations) told.append(make("code", "operation", one));
  if (isOpen()) {
    for (const one of step.refusals) told.append(make("p", "refused", `${say("refused")} ${one}`));
  }
  if (step.question) told.append(question(step.question));
  if (step.naive && isOpen()) told.append(simpler(step.naive));
  const isLast = at === data.steps.length - 1;
  if (isLast && isOpen()) {
    told.append(make("p", "good", say("end")), ...(data.remember ? lines([data.remember[language]]) : []));
  }
  const buttons = make("div", "buttons");
  if (!(isLast && isOpen())) buttons.append(button(say(isOpen() ? "next" : "reveal"), "main", on));
  else buttons.append(button(say("again"), "main", () => { at = 0; draw(); }));
  if (at > 0 || (step.question && given[at].shown)) buttons.append(button(say("back"), "", back));
  told.append(buttons);
  return told;
}

function question(asked) {
  const mine = given[at];
  const box = make("div", "asked", make("b", "", say("predict")), ...lines(asked.question[language]));
  if (asked.number !== null) {
    const field = make("input", "");
    field.type = "text";
    field.inputMode = "numeric";
    field.value = mine.number;
    field.disabled = mine.shown;
    field.setAttribute("aria-label", say("number"));
    const take = () => {
      mine.number = digits(field.value);
      if (field.value !== mine.number) field.value = mine.number;
    };
    field.addEventListener("input", (event) => { if (!event.isComposing) take(); });
    field.addEventListener("compositionend", take);
    box.append(field);
    if (mine.shown) box.append(make("b", "good", ` ${asked.number}`));
  }
  const answers = make("div", "answers");
  asked.answers[language].forEach((text, number) => {
    const kinds = [number === mine.answer ? "chosen" : ""];
    if (mine.shown && number === asked.rightAnswer) kinds.push("good");
    else if (mine.shown && number === mine.answer) kinds.push("bad");
    answers.append(button(`${number + 1}  ${text}`, kinds.join(" "), () => choose(number)));
  });
  box.append(answers);
  if (asked.hint && !mine.shown) {
    box.append(mine.hint ? make("div", "faint", ...lines(asked.hint[language]))
      : button(say("hint"), "", () => { mine.hint = true; draw(); }));
  }
  if (mine.asked && !mine.shown && !isAnswered()) box.append(make("p", "bad", say("first")));
  if (mine.shown) {
    const found = verdicts(), right = found.filter(Boolean).length;
    const word = !counts() ? "unanswered" : right === found.length ? "right" : right ? "partly" : "wrong";
    box.append(make("p", word === "right" ? "good" : "bad", say(word)), ...lines(asked.explain[language]));
  }
  return box;
}

function simpler(naive) {
  const box = make("div", "simpler", make("b", "bad", say("simpler")), ...lines(naive.says[language]));
  if (naive.error) box.append(make("code", "operation", naive.error[language]));
  const texts = naive.texts || (naive.visible || []).map((raw) => `${raw}  ${data.log[raw].text}`);
  if (!naive.error) box.append(ribbon(naive.visible || []), ...texts.map((text) => make("code", "operation", text)));
  return box;
}

function ribbon(shown, size = data.log.length) {
  const sent = new Set(shown), row = make("div", "ribbon");
  row.setAttribute("aria-hidden", "true");
  data.log.slice(0, size).forEach((message, raw) => {
    row.append(make("i", sent.has(raw) ? `sent ${message.role}` : ""));
  });
  return row;
}

function log(step) {
  const open = isOpen(), state = open ? step.after : step.before, asked = step.question;
  const isPicking = asked && asked.rows !== null && !open;
  const before = new Set(step.before.visible), places = new Map(state.visible.map((raw, i) => [raw, i]));
  const size = open || isPicking ? step.after.size : step.before.size;
  const figures = `${places.size} ${say("sent")} · ${state.tokens} ${say("tokens")} · ${say("batch")} ${state.batch}`
    + (state.errors ? ` · ✖ ${state.errors} ${say("errors")}` : "");
  const head = make("tr", "", make("th", "figure", "raw"), make("th", "", ""), make("th", "", say("log")),
    make("th", "figure", say("tokens")), make("th", "figure", say("sent")));
  const body = make("tbody", "");
  for (let raw = 0; raw < size; raw += 1) body.append(row(raw, step, { open, isPicking, before, places }));
  return make("section", "log", make("span", "faint", figures), ribbon(state.visible, size),
    make("table", "", make("thead", "", head), body), timeline(open ? step.timeline.after : step.timeline.before),
    arrays(step, open));
}

function row(raw, step, { open, isPicking, before, places }) {
  const message = data.log[raw], mine = given[at], isSent = places.has(raw);
  const kinds = [isSent ? "" : "hidden"];
  if (open && isSent && !before.has(raw)) kinds.push("came");
  if (open && !isSent && before.has(raw)) kinds.push("went");
  if (open && step.lookedAt.includes(raw)) kinds.push("looked");
  let sign = isSent ? String(places.get(raw)) : "–";
  if (step.question && step.question.rows !== null && mine.shown && step.question.candidates.includes(raw)) {
    const isRight = step.question.rows.includes(raw), isMine = mine.rows.has(raw);
    sign = `${isRight && isMine ? "✓ " : isRight ? "✗ " : isMine ? "+ " : ""}${sign}`;
  }
  const canPick = isPicking && step.question.candidates.includes(raw);
  if (canPick) kinds.push("pick", mine.rows.has(raw) ? "picked" : "");
  const made = make("tr", kinds.join(" "), make("td", "figure", String(raw)), make("td", message.role, message.role),
    make("td", "text", message.text), make("td", "figure", String(message.tokens)), make("td", "figure", sign));
  if (canPick) {
    made.tabIndex = 0;
    made.dataset.raw = raw;
    made.setAttribute("aria-selected", mine.rows.has(raw));
    made.addEventListener("click", () => pick(raw));
  }
  return made;
}

function timeline(number) {
  const drawing = new DOMParser().parseFromString(data.timelines[number], "text/html").querySelector("svg");
  return make("div", "timeline", make("span", "faint", say("timeline")), document.importNode(drawing, true));
}

function arrays(step, open) {
  const box = make("div", "arrays");
  for (const [name, was] of Object.entries(step.before.arrays)) {
    const now = step.after.arrays[name], moved = !same(was, now);
    const old = `[${was.join(", ")}]${step.operations.length ? ` → ${COVER}` : ""}`;
    const text = open ? `[${now.join(", ")}]` : step.covered.includes(name) ? COVER : old;
    box.append(make("span", "", name), make("b", open && moved ? "moved" : "", text));
  }
  return box;
}

function draw() {
  const held = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.raw : undefined;
  document.documentElement.lang = language;
  document.title = data.title[language];
  const place = say("step").replace("{n}", at + 1).replace("{m}", data.steps.length);
  const other = language === "en" ? "zh" : "en";
  const turn = button(other === "zh" ? "中文" : "English", "", () => { language = other; draw(); });
  root.replaceChildren(
    make("header", "", make("h1", "", data.title[language]), make("span", "", place), make("span", "grow"), turn),
    make("div", "sides", story(data.steps[at]), log(data.steps[at])),
    make("footer", "", say("keys")));
  const again = held === undefined ? null : root.querySelector(`tr[data-raw="${held}"]`);
  (again || root.querySelector("input:not(:disabled)") || root).focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const tag = event.target.tagName, isField = tag === "INPUT", isButton = tag === "BUTTON";
  const raw = event.target.dataset ? event.target.dataset.raw : undefined;
  if (isField && (event.key === "Backspace" || (event.key.length === 1 && digits(event.key)))) return;
  if (event.key === "ArrowRight") on();
  else if (event.key === "Enter" && !isButton) on();
  else if (event.key === "ArrowLeft" || event.key === "Backspace") back();
  else if (event.key === " " && raw !== undefined) pick(Number(raw));
  else if (/^[1-4]$/.test(event.key)) choose(Number(event.key) - 1);
  else if (event.key === "h") { given[at].hint = true; draw(); }
  else if (event.key === "l") { language = language === "en" ? "zh" : "en"; draw(); }
  else if (["j", "ArrowDown", "k", "ArrowUp"].includes(event.key)) {
    const rows = [...root.querySelectorAll("tr.pick")];
    const now = rows.indexOf(document.activeElement), by = event.key === "j" || event.key === "ArrowDown" ? 1 : -1;
    if (!rows.length) return;
    rows[Math.max(0, Math.min(rows.length - 1, now < 0 ? 0 : now + by))].focus();
  } else if (!isField || event.key.length > 1) return; // Other letters are no part of a number.
  event.preventDefault();
});

draw();
