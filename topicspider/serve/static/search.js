// Suggestions as one types: words of the hits that begin so. Without this script the box works as well.
const box = document.querySelector("#q");
const list = document.querySelector("#suggested");
let asked = 0;
let timer = 0;
async function suggest() {
  const number = ++asked;
  const answer = await fetch(`/suggestions.json?${new URLSearchParams(new FormData(box.form))}`);
  if (!answer.ok || number !== asked) return;
  const options = (await answer.json()).queries.map((query) => Object.assign(document.createElement("option"), { value: query }));
  list.replaceChildren(...options);
}
box?.addEventListener("input", (event) => {
  if (event.isComposing) return;
  clearTimeout(timer);
  timer = setTimeout(suggest, 120);
});
box?.addEventListener("compositionend", suggest);
document.querySelector("#sort")?.addEventListener("change", (event) => event.target.form.requestSubmit());
// On a narrow screen the hits come first.
if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".facets details")?.removeAttribute("open");
