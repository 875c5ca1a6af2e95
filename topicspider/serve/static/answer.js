// y and n answer for the page at hand: the hit that has the focus or was reached by j and k, else the only one. Answers are kept without leaving the list.
const hits = [...document.querySelectorAll("[data-hit]")];
let at = hits.length === 1 ? 0 : -1;
function go(step) {
  at = Math.min(hits.length - 1, Math.max(0, at + step));
  hits[at].querySelector("a").focus();
  hits[at].scrollIntoView({ block: "nearest" });
}
hits.forEach((hit, place) => hit.addEventListener("focusin", () => {
  at = place;
  hits.forEach((one) => one.classList.toggle("at", one === hit && hits.length > 1));
}));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (hits.length > 1 && (event.key === "j" || event.key === "k")) go(event.key === "j" ? 1 : -1);
  else hits[at]?.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});
async function keep(event) {
  const { currentTarget: form, submitter } = event;
  event.preventDefault();
  const fields = new URLSearchParams([...new FormData(form), ["answer", submitter.value]]);
  const answer = await fetch("/label.json", { method: "POST", body: fields });
  const told = await answer.json();
  if (!answer.ok) {
    form.querySelector("output").textContent = told.error;
    return;
  }
  for (const button of form.querySelectorAll("button")) {
    const isYes = button.dataset.key === "y";
    const isOn = told.answer === isYes;
    button.setAttribute("aria-pressed", isOn);
    button.value = isOn ? "none" : isYes ? "yes" : "no";
    button.className = isYes ? (isOn ? "" : "second") : isOn ? "chosen-no" : "bad";
  }
  form.querySelector("output").textContent = form.dataset.told
    .replace("{threshold}", told.threshold.toFixed(3))
    .replace("{precision}", told.precision === null ? "–" : `${Math.round(100 * told.precision)}%`)
    .replace("{recall}", told.recall === null ? "–" : `${Math.round(100 * told.recall)}%`);
}
document.querySelectorAll("form[data-told]").forEach((form) => form.addEventListener("submit", keep));
