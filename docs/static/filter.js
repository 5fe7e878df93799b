/* A field above the tables of the verification report: rows that lack one of its words are hidden, and sections without a row with them. */
addEventListener("DOMContentLoaded", () => {
  const tables = [...document.querySelectorAll("table.verification")];
  if (!tables.length) return;
  const field = Object.assign(document.createElement("input"), { type: "search", className: "filter", placeholder: "filter claims" });
  const count = Object.assign(document.createElement("output"), { className: "filter" });
  field.setAttribute("aria-label", "filter claims");
  const rows = tables.flatMap(table => [...table.tBodies[0].rows]);
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));
  const update = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [row, text] of texts) row.hidden = !words.every(word => text.includes(word));
    for (const table of tables) {
      table.closest("section").hidden = [...table.tBodies[0].rows].every(row => row.hidden);
    }
    count.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} claims`;
  };
  field.addEventListener("input", update);
  const first = tables[0].closest("section");
  first.before(field, count);
  update();
});
