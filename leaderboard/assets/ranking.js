// Sorts a ranking by the clicked column: figures by value, texts alphabetically, empty cells last.
document.addEventListener("click", (event) => {
  const heading = event.target.closest && event.target.closest("table.ranking th button")?.closest("th");
  if (!heading) return;
  const table = heading.closest("table"), body = table.tBodies[0], at = heading.cellIndex;
  const rises = heading.getAttribute("aria-sort") === "descending"
    || (heading.getAttribute("aria-sort") === null && heading.dataset.first === "ascending");
  for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", rises ? "ascending" : "descending");
  const value = (row) => row.cells[at].dataset.value ?? "";
  const rows = [...body.rows].sort((one, other) => {
    const a = value(one), b = value(other);
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
    return rises ? order : -order;
  });
  body.append(...rows);
});
