"use strict";
// Switches, filters and search; what they act on is in the page already.
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
const cards = [...document.querySelectorAll("#cards article")];
const filters = [...document.querySelectorAll("[data-filter]")];
const count = document.getElementById("count");
function filter() {
  const wanted = Object.fromEntries(filters.map((one) => [one.dataset.filter, one.value]));
  const text = wanted.search.trim().toLowerCase();
  let shown = 0;
  for (const card of cards) {
    const fits = (!wanted.system || card.dataset.system === wanted.system)
      && (!wanted.config || card.dataset.config === wanted.config)
      && (!wanted.cause || card.dataset.cause.split("|").includes(wanted.cause))
      && (!text || card.textContent.toLowerCase().includes(text));
    card.hidden = !fits;
    shown += fits;
  }
  count.textContent = `${shown} shown`;
}
for (const one of filters) {
  one.addEventListener("input", filter);
  one.addEventListener("change", filter);
}
filter();
