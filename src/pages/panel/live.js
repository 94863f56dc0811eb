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
const show = (words) => {
  button.textContent = source ? "Pause" : "Go on";
  state.textContent = words;
};
// What came meanwhile is on the page when it is loaded again.
const catchUp = () => location.reload();
const run = () => {
  let isBroken = false;
  source = new EventSource(table.dataset.live);
  source.onopen = () => { if (isBroken) catchUp(); else show("New requests appear by themselves."); };
  source.onerror = () => {
    isBroken = true;
    show(source.readyState === EventSource.CLOSED ? "This has ended. Load the page again." : "The connection is broken; it is tried again.");
  };
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
  if (!source) return catchUp();
  source.close();
  source = null;
  show("Paused.");
};
const line = document.createElement("p");
line.append(button, " ", state);
table.before(line);
run();
show("");
