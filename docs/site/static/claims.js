// Filters the table of claims: a row is shown if it holds every word of the search and has the values that are chosen.
// Without this script the whole table is there, and no form.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("claims-filter");
  if (!form) return;
  const search = document.getElementById("claims-search");
  const count = document.getElementById("claims-count");
  const choices = [...form.querySelectorAll("select")];
  const rows = [...document.querySelectorAll("#claims tbody tr")];
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const row of rows) {
      const found = words.every(word => texts.get(row).includes(word));
      const chosen = choices.every(choice => !choice.value || row.dataset[choice.dataset.column] === choice.value);
      row.hidden = !(found && chosen);
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} claims`;
  };

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter)); // once the fields are empty
  filter(); // a browser that comes back to the page keeps what was typed
});
