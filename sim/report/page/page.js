"use strict";

// Tables sort by the values behind their cells, else by their words; what is missing stays last. Ties keep their order.
function keyOf(row, column) {
  const cell = row.cells[column];
  const text = cell.textContent.trim();
  const value = "value" in cell.dataset ? Number(cell.dataset.value) : null;
  return { value, text, kind: value !== null ? 0 : text === "-" || text === "" ? 2 : 1 };
}

function compare(a, b, sign) {
  if (a.kind !== b.kind && (a.kind === 2 || b.kind === 2)) return a.kind - b.kind;
  if (a.kind !== b.kind) return sign * (a.kind - b.kind);
  if (a.kind === 0) return sign * (a.value - b.value);
  return a.kind === 1 ? sign * a.text.localeCompare(b.text, "en", { numeric: true }) : 0;
}

function sort(table, column, header) {
  const direction = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  const sign = direction === "ascending" ? 1 : -1;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => [keyOf(row, column), row]);
  rows.sort(([a], [b]) => compare(a, b, sign));
  body.append(...rows.map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", direction);
  document.getElementById("page-status").textContent = `sorted by ${header.textContent.trim()}, ${direction}`;
}

for (const table of document.querySelectorAll("table")) {
  Array.from(table.tHead.rows[0].cells).forEach((header, column) => {
    const button = header.querySelector("button");
    button.disabled = false;
    button.addEventListener("click", () => sort(table, column, header));
  });
}
