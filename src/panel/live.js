// Rows of the table of requests as they come. Without it the page shows those that were there when it was loaded.
"use strict";
const table = document.getElementById("requests");
const body = table.tBodies[0];
const local = (root) => {
  for (const time of root.querySelectorAll("time")) time.textContent = new Date(time.dateTime).toLocaleTimeString();
};
local(body);

const button = document.createElement("button");
const state = document.createElement("span");
state.setAttribute("role", "status");
let source = null;
const show = () => {
  button.textContent = source ? "Pause" : "Go on";
  state.textContent = source ? "New requests appear by themselves." : "Paused.";
};
const run = () => {
  source = new EventSource(table.dataset.live);
  source.onmessage = (event) => {
    const row = document.createElement("template");
    row.innerHTML = event.data;
    local(row.content);
    body.prepend(row.content);
    while (body.rows.length > 500) body.lastElementChild.remove();
  };
};
button.type = "button";
button.onclick = () => {
  if (source) { source.close(); source = null; } else run();
  show();
};
const line = document.createElement("p");
line.append(button, " ", state);
table.before(line);
run();
show();
