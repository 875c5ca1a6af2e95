// The language switch of a rehearsal's report, and the buttons that show and hide policies in its charts.
(() => {
  "use strict";
  const root = document.documentElement;
  const buttons = [...document.querySelectorAll("[data-policy]")];
  const isPressed = (button) => button.getAttribute("aria-pressed") === "true";

  function show(button, isShown) {
    button.setAttribute("aria-pressed", String(isShown));
    for (const part of document.querySelectorAll(`.harvest .c${button.dataset.policy}`)) part.style.display = isShown ? "" : "none";
  }

  function speak(language) {
    root.dataset.lang = language;
    root.lang = language === "zh" ? "zh-CN" : "en";
    for (const button of document.querySelectorAll("[data-language]")) {
      button.setAttribute("aria-pressed", String(button.dataset.language === language));
    }
  }

  for (const button of buttons) {
    show(button, isPressed(button));
    button.addEventListener("click", () => show(button, !isPressed(button)));
  }
  for (const button of document.querySelectorAll("[data-language]")) {
    button.addEventListener("click", () => { history.replaceState(null, "", `#${button.dataset.language}`); speak(button.dataset.language); });
  }
  const asked = /^#(zh|en)$/.exec(location.hash)?.[1];
  speak(asked ?? ((navigator.languages ?? [navigator.language])[0]?.toLowerCase().startsWith("zh") ? "zh" : "en"));
})();
