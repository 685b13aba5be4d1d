"use strict";
// Switches, filters and search over the content of the page.
const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
for (const choice of document.querySelectorAll('input[name="measure"]')) {
  choice.addEventListener("change", () => {
    for (const cell of document.querySelectorAll(".heat td.cell")) {
      cell.querySelector("b").textContent = cell.dataset[choice.value] || "–";
    }
  });
}
// Failures: twenty at a time are in the document, the others are in a template.
const SIZE = 20;
const shelf = document.getElementById("cards");
const narrow = matchMedia("(max-width: 44rem)");
const filters = [...document.querySelectorAll("[data-filter]")];
const [count, previous, next] = ["count", "previous", "next"].map((id) => document.getElementById(id));
const cards = [...shelf.children, ...document.getElementById("more").content.children];
const texts = new Map();
let first = 0, fitting = cards;
function text(card) {
  if (!texts.has(card)) texts.set(card, card.textContent.toLowerCase());
  return texts.get(card);
}
function draw(target) {
  const shown = fitting.slice(first, first + SIZE);
  shelf.replaceChildren(...shown);
  shown.forEach((card, at) => {
    card.firstElementChild.open = !narrow.matches || at === 0 || card === target;
    card.classList.toggle("target", card === target);
  });
  count.textContent = shown.length ? `${first + 1} to ${first + shown.length} of ${fitting.length}` : "0 shown";
  previous.disabled = first === 0;
  next.disabled = first + SIZE >= fitting.length;
}
function filter() {
  const wanted = Object.fromEntries(filters.map((one) => [one.dataset.filter, one.value]));
  const words = wanted.search.trim().toLowerCase();
  fitting = cards.filter((card) => (!wanted.system || card.dataset.system === wanted.system)
    && (!wanted.config || card.dataset.config === wanted.config)
    && (!wanted.cause || card.dataset.cause.split("|").includes(wanted.cause))
    && (!words || text(card).includes(words)));
  first = 0;
  draw();
}
function turn(step) {
  first += step * SIZE;
  draw();
  document.getElementById("failures").scrollIntoView();
}
function follow() {
  const target = cards.find((card) => `#${card.id}` === location.hash);
  if (!target) return;
  for (const one of filters) one.value = "";
  fitting = cards;
  first = Math.floor(cards.indexOf(target) / SIZE) * SIZE;
  draw(target);
  target.scrollIntoView({ block: "center" });
}
previous.addEventListener("click", () => turn(-1));
next.addEventListener("click", () => turn(1));
addEventListener("hashchange", follow);
for (const one of filters) {
  one.addEventListener("input", filter);
  one.addEventListener("change", filter);
}
draw();
follow();
