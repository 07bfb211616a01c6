"use strict";
// A file that is dropped on the box of sequences becomes its text.
const box = document.querySelector("textarea[name=query]");
if (box) {
  for (const kind of ["dragenter", "dragover"]) {
    box.addEventListener(kind, (event) => { event.preventDefault(); box.classList.add("over"); });
  }
  box.addEventListener("dragleave", () => box.classList.remove("over"));
  box.addEventListener("drop", async (event) => {
    box.classList.remove("over");
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    box.value = await file.text();
    box.focus();
  });
}
// The state of a job, until it is done.
const job = document.querySelector("[data-state]");
if (job) {
  const said = document.getElementById("said");
  const bar = document.getElementById("bar");
  let pause = 300;
  const look = async () => {
    try {
      const answer = await fetch(job.dataset.state, { credentials: "same-origin", cache: "no-store" });
      const state = await answer.json();
      if (said.textContent !== state.text) said.textContent = state.text;
      if (state.value === null) bar.removeAttribute("value"); else bar.value = state.value;
      if (state.done) { location.reload(); return; }
    } catch (fault) {
      said.textContent = "The server does not answer at the moment; the search continues. Trying again…";
      pause = 4000;
    }
    pause = Math.min(pause * 1.3, 4000);
    setTimeout(look, pause);
  };
  setTimeout(look, pause);
}
