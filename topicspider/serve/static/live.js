// What changes is sent as HTML by the server; a part is put in place when it differs, unless the reader is in it.
for (const place of document.querySelectorAll("[data-events]")) {
  let source = null;
  const isHeld = (part) => part.contains(document.activeElement) || (part.tagName === "DETAILS" && part.open) ||
    (!getSelection().isCollapsed && part.contains(getSelection().anchorNode));
  const show = (html) => {
    const news = new DOMParser().parseFromString(html, "text/html").body;
    const old = [...place.querySelectorAll("[data-part]")], fresh = [...news.querySelectorAll("[data-part]")];
    if (old.map((part) => part.dataset.part).join() !== fresh.map((part) => part.dataset.part).join()) {
      if (![...old].some(isHeld)) place.replaceChildren(...news.childNodes);
      return;
    }
    old.forEach((part, number) => {
      if (part.outerHTML === fresh[number].outerHTML || isHeld(part)) return;
      const atEnd = part.scrollHeight - part.scrollTop - part.clientHeight < 40;
      if (part.getAttribute("role") === "status") part.innerHTML = fresh[number].innerHTML; // read aloud
      else part.replaceWith(fresh[number]);
      if (fresh[number].matches(".log") && atEnd) fresh[number].scrollTop = fresh[number].scrollHeight;
    });
  };
  const watch = () => {
    if (document.hidden) { source?.close(); source = null; return; }
    if (source) return;
    source = new EventSource(place.dataset.events);
    source.onmessage = (event) => { if (event.data) show(event.data); };
  };
  document.addEventListener("visibilitychange", watch);
  watch();
}
for (const log of document.querySelectorAll(".log")) log.scrollTop = log.scrollHeight;
