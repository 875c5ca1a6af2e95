// The charts of a rehearsal's report and its language switch. Everything it needs is in the page: data, uPlot, styles.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const buttons = [...document.querySelectorAll("[data-policy]")];
  // in the order of the legend, the best first
  const policies = buttons.map((button) => ({ ...data.policies[Number(button.dataset.policy)], button, shown: isPressed(button) }));
  const main = policies.filter((policy) => policy.shown);
  const figures = [];
  const contents = [...document.querySelectorAll("nav.contents a")].map((link) => ({ link, section: link.hash.slice(1) }));
  let printing = false;

  function isPressed(button) { return button.getAttribute("aria-pressed") === "true"; }
  function word(key) { return data.texts[root.dataset.lang][key]; }
  function nameOf(policy) { return policy.name[root.dataset.lang]; }
  function colourOf(policy) { return dark.matches && !printing ? policy.dark : policy.light; }
  function ink(name) { return getComputedStyle(root).getPropertyValue(`--${name}`).trim(); }
  function count(value, digits = 0) {
    return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  function faded(colour, share) {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    return `rgba(${r},${g},${b},${share})`;
  }

  // markers, so that lines can be told apart without colour
  function mark(context, shape, x, y, size) {
    context.beginPath();
    if (shape === "circle") context.arc(x, y, size, 0, 2 * Math.PI);
    else if (shape === "square") context.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
    else if (shape === "triangle") { context.moveTo(x, y - size * 1.2); context.lineTo(x + size * 1.1, y + size); context.lineTo(x - size * 1.1, y + size); }
    else { context.moveTo(x, y - size * 1.3); context.lineTo(x + size * 1.3, y); context.lineTo(x, y + size * 1.3); context.lineTo(x - size * 1.3, y); }
    context.closePath();
    context.fill();
    context.stroke();
  }

  function font(size, weight = 400) {
    return `${weight} ${size}px system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif`;
  }
  function scaledFont(size, weight) { return font(size * devicePixelRatio, weight); }

  function axes(xLabel, values) {
    const common = { stroke: ink("soft"), font: font(12), grid: { stroke: ink("grid"), width: 1 }, ticks: { show: false } };
    return [
      { ...common, grid: { show: false }, ticks: { show: true, stroke: ink("rule"), size: 5 }, label: xLabel, labelFont: font(12), labelSize: 20, size: 28, space: 64, ...values },
      { ...common, size: 46, values: (_chart, ticks) => ticks.map((tick) => count(tick)) },
    ];
  }

  // --- line charts

  function lines(figure, spec) {
    const width = figure.plot.clientWidth;
    const isWide = width >= 560;
    const shown = policies.filter((policy) => policy.shown);
    const columns = [spec.x];
    const series = [{}];
    const bands = [];
    let top = 0;
    const dashes = (list) => (list.length ? list.map((part) => part * 0.9) : undefined);
    if (spec.perfect) {
      columns.push(spec.perfect);
      series.push({ stroke: ink("faint"), width: 1.4, dash: [1, 4], cap: "round", points: { show: false } });
    }
    for (const policy of [...shown].reverse()) {
      const line = policy[spec.key];
      const colour = colourOf(policy);
      for (const value of line.high) top = Math.max(top, value ?? 0);
      const hasBand = line.high.some((value, at) => value !== null && value - line.low[at] > 0.005);
      if (hasBand) {
        columns.push(line.high, line.low);
        bands.push({ series: [series.length, series.length + 1], fill: faded(colour, shown.length > 7 ? 0.06 : 0.12) });
        const hidden = { stroke: "transparent", width: 0, points: { show: false } };
        series.push(hidden, { ...hidden });
      }
      columns.push(line.mean);
      series.push({ stroke: colour, width: policy.baseline ? 1.8 : 2.2, dash: dashes(policy.dash), points: { show: false } });
    }
    const labelled = isWide ? shown : [];
    const room = labelled.reduce((widest, policy) => Math.max(widest, textWidth(nameOf(policy))), 0);
    const last = spec.x[spec.x.length - 1];
    const highest = spec.most === undefined ? top * 1.06 || 1 : Math.min(spec.most, top * 1.06 || 1);
    return new uPlot({
      width, height: figure.height(width), padding: [10, isWide ? room + 18 : 22, 0, 0], legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false, range: [0, last || 1] }, y: { range: [0, highest] } },
      axes: axes(word(spec.xLabel)), series, bands,
      hooks: {
        draw: [(chart) => { marks(chart, spec, shown); names(chart, spec, labelled); }],
        setCursor: [(chart) => tip(figure, chart, spec, shown)],
      },
    }, columns, figure.plot);
  }

  function textWidth(text) {
    const context = document.createElement("canvas").getContext("2d");
    context.font = font(12, 600);
    return context.measureText(text).width;
  }

  function marks(chart, spec, shown) {
    const { ctx: context } = chart;
    context.save();
    context.lineWidth = devicePixelRatio;
    context.strokeStyle = ink("ground");
    for (const policy of [...shown].reverse()) {
      context.fillStyle = colourOf(policy);
      for (const at of spec.marks(policy)) {
        const value = policy[spec.key].mean[at];
        if (value !== null) mark(context, policy.marker, chart.valToPos(spec.x[at], "x", true), chart.valToPos(value, "y", true), 3.6 * devicePixelRatio);
      }
    }
    context.restore();
  }

  // names at the ends of the lines, pushed apart where they would cover each other
  function names(chart, spec, shown) {
    const { ctx: context } = chart;
    const gap = 15 * devicePixelRatio;
    const { top, height, left, width } = chart.bbox;
    const labels = shown.map((policy) => {
      const values = policy[spec.key].mean;
      let at = values.length - 1;
      while (at > 0 && values[at] === null) at -= 1;
      return { policy, y: chart.valToPos(values[at] ?? 0, "y", true) };
    }).sort((one, other) => one.y - other.y);
    for (let at = 1; at < labels.length; at += 1) labels[at].y = Math.max(labels[at].y, labels[at - 1].y + gap);
    let floor = top + height;
    for (let at = labels.length - 1; at >= 0; at -= 1) {
      labels[at].y = Math.min(labels[at].y, floor);
      floor = labels[at].y - gap;
    }
    context.save();
    context.font = scaledFont(12, 600);
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const { policy, y } of labels) {
      context.fillStyle = colourOf(policy);
      context.fillText(nameOf(policy), left + width + 10 * devicePixelRatio, y);
    }
    context.restore();
  }

  function tip(figure, chart, spec, shown) {
    const { idx, left } = chart.cursor;
    const rows = idx === null || idx === undefined || left < 0 ? [] : shown
      .map((policy) => ({ policy, value: policy[spec.key].mean[idx] }))
      .filter((row) => row.value !== null)
      .sort((one, other) => other.value - one.value);
    figure.tip.hidden = !rows.length;
    if (!rows.length) return;
    const head = document.createElement("b");
    head.textContent = `${count(spec.x[idx])} ${word(spec.xLabel)}`;
    figure.tip.replaceChildren(head, ...rows.map(({ policy, value }) => row(nameOf(policy), count(value, value < 100 && value % 1 ? 1 : 0), colourOf(policy))));
    place(figure, chart, left);
  }

  function row(name, value, colour) {
    const line = document.createElement("span");
    const label = document.createElement("i");
    label.textContent = name;
    label.style.color = colour;
    line.append(label, value);
    return line;
  }

  function place(figure, chart, left) {
    const x = left + chart.over.offsetLeft;
    const width = figure.tip.offsetWidth;
    const isRight = x + width + 16 > figure.plot.clientWidth;
    figure.tip.style.left = `${Math.max(0, isRight ? x - width - 12 : x + 12)}px`;
    figure.tip.style.top = "14px";
  }

  // --- precision bars

  function bars(figure) {
    const width = figure.plot.clientWidth;
    const shown = policies.filter((policy) => policy.shown);
    const places = data.checkpoints.map((_point, at) => at);
    const highest = Math.max(1, ...shown.flatMap((policy) => policy.precision.map(([value, half]) => value + half)));
    return new uPlot({
      width, height: figure.height(width), padding: [10, 8, 0, 0], legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false, range: [-0.5, places.length - 0.5] }, y: { range: [0, Math.min(100, highest * 1.05)] } },
      axes: axes(word("axis_pages"), { splits: () => places, values: () => data.checkpoints.map((point) => count(point)), ticks: { show: false }, space: 10 }),
      series: [{}, { stroke: "transparent", width: 0, points: { show: false } }],
      hooks: {
        draw: [(chart) => drawBars(chart, shown)],
        setCursor: [(chart) => barTip(figure, chart, shown)],
      },
    }, [places, places.map(() => 0)], figure.plot);
  }

  function drawBars(chart, shown) {
    const { ctx: context } = chart;
    const group = (chart.valToPos(1, "x", true) - chart.valToPos(0, "x", true)) * 0.84;
    const step = group / Math.max(1, shown.length);
    const bar = Math.max(devicePixelRatio, Math.min(step * 0.86, step - devicePixelRatio, 26 * devicePixelRatio));
    const floor = chart.valToPos(0, "y", true);
    context.save();
    context.beginPath();
    context.rect(chart.bbox.left, chart.bbox.top, chart.bbox.width, chart.bbox.height);
    context.clip();
    context.strokeStyle = ink("ink");
    context.lineWidth = devicePixelRatio;
    data.checkpoints.forEach((_point, at) => {
      const start = chart.valToPos(at, "x", true) - (step * shown.length) / 2;
      shown.forEach((policy, number) => {
        const [value, half] = policy.precision[at];
        const middle = start + step * (number + 0.5);
        context.fillStyle = colourOf(policy);
        context.globalAlpha = 0.88;
        context.fillRect(middle - bar / 2, chart.valToPos(value, "y", true), bar, floor - chart.valToPos(value, "y", true));
        context.globalAlpha = 0.7;
        if (half && bar > 4 * devicePixelRatio) whisker(context, middle, chart.valToPos(value + half, "y", true), chart.valToPos(Math.max(0, value - half), "y", true));
        context.globalAlpha = 1;
      });
    });
    context.restore();
  }

  function whisker(context, x, top, bottom) {
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
  }

  function barTip(figure, chart, shown) {
    const { left } = chart.cursor;
    const at = Math.round(chart.posToVal(left, "x"));
    figure.tip.hidden = left < 0 || !(at in data.checkpoints);
    if (figure.tip.hidden) return;
    const head = document.createElement("b");
    head.textContent = `${count(data.checkpoints[at])} ${word("axis_pages")}`;
    const rows = [...shown].sort((one, other) => other.precision[at][0] - one.precision[at][0]);
    figure.tip.replaceChildren(head, ...rows.map((policy) => {
      const [value, half] = policy.precision[at];
      return row(nameOf(policy), half ? `${count(value, 1)} ± ${count(half, 1)}` : count(value, 1), colourOf(policy));
    }));
    place(figure, chart, left);
  }

  // --- all charts

  const atCheckpoints = data.checkpoints.map((point) => data.pages.indexOf(point)).filter((at) => at > 0);
  // by time the lines are crowded: each has its marks at other places
  function spread(policy) {
    const steps = 7;
    const shift = policies.indexOf(policy) / policies.length;
    return Array.from({ length: steps }, (_none, at) => Math.round(((at + 0.3 + 0.7 * shift) / steps) * (data.seconds.length - 1)));
  }
  const specs = {
    "chart-pages": { title: "chart_pages", key: "hits", x: data.pages, xLabel: "axis_pages", perfect: data.perfect, marks: () => atCheckpoints },
    "chart-recall": { title: "chart_recall", key: "recall", x: data.pages, xLabel: "axis_pages", perfect: data.perfect_recall, marks: () => atCheckpoints, most: 100 },
    "chart-seconds": { title: "chart_seconds", key: "timed", x: data.seconds, xLabel: "axis_seconds", marks: spread },
    "chart-bars": { title: "chart_bars" },
  };

  function heightFor(id, width) {
    if (id === "chart-pages") return Math.round(Math.min(460, Math.max(290, width * 0.46)));
    return id === "chart-bars" ? Math.round(Math.min(340, Math.max(240, width * 0.34))) : 290;
  }

  function describe(figure, spec) {
    const last = data.checkpoints.length - 1;
    const standing = policies.map((policy) => {
      const at = data.pages.indexOf(data.checkpoints[last]);
      const value = figure.id === "chart-bars" ? policy.precision[last][0] : policy.hits.mean[at < 0 ? data.pages.length - 1 : at];
      return `${nameOf(policy)} ${value ?? "–"}`;
    }).join(", ");
    const text = word("aria_chart").replace("{title}", word(spec.title)).replace("{pages}", count(data.checkpoints[last])).replace("{standing}", standing);
    figure.plot.setAttribute("aria-label", text);
  }

  function draw() {
    for (const figure of figures) {
      figure.chart?.destroy();
      figure.chart = figure.id === "chart-bars" ? bars(figure) : lines(figure, specs[figure.id]);
      figure.plot.append(figure.tip);
      figure.tip.hidden = true;
      describe(figure, specs[figure.id]);
    }
  }

  function show(list) {
    for (const policy of policies) {
      policy.shown = list.includes(policy);
      policy.button.setAttribute("aria-pressed", String(policy.shown));
    }
    draw();
  }

  function speak(language) {
    root.dataset.lang = language;
    root.lang = language === "zh" ? "zh-CN" : "en";
    document.title = data.title[language];
    for (const button of document.querySelectorAll("[data-language]")) button.setAttribute("aria-pressed", String(button.dataset.language === language));
    for (const { link, section } of contents) link.setAttribute("href", `#${language}/${section}`);
  }

  // the address holds the language, and the section after a slash: #zh, #zh/charts
  function asked() {
    const [, language, section] = /^#(zh|en)(?:\/([\w-]+))?$/.exec(location.hash) ?? [];
    return { language, section };
  }
  function goTo(section) { if (section) document.getElementById(section)?.scrollIntoView(); }
  function arrive() {
    const { language, section } = asked();
    if (language && language !== root.dataset.lang) { speak(language); draw(); }
    goTo(section);
  }

  for (const id of Object.keys(specs)) {
    const element = document.getElementById(id);
    if (!element) continue;
    const tipBox = document.createElement("div");
    tipBox.className = "tip";
    tipBox.hidden = true;
    figures.push({ id, plot: element.querySelector(".plot"), tip: tipBox, chart: null, height: (width) => heightFor(id, width) });
  }
  for (const policy of policies) policy.button.addEventListener("click", () => show(policies.filter((one) => (one === policy ? !one.shown : one.shown))));
  document.querySelector("[data-show='all']")?.addEventListener("click", () => show(policies));
  document.querySelector("[data-show='key']")?.addEventListener("click", () => show(main));
  for (const button of document.querySelectorAll("[data-language]")) {
    button.addEventListener("click", () => { history.replaceState(null, "", `#${button.dataset.language}`); speak(button.dataset.language); draw(); });
  }
  // a second click on the same link changes no address
  for (const { link, section } of contents) link.addEventListener("click", () => goTo(section));
  addEventListener("hashchange", arrive);
  dark.addEventListener("change", draw);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; draw(); } });
  // paper is narrower than most screens, and white
  addEventListener("beforeprint", () => { printing = true; root.classList.add("printing"); draw(); });
  addEventListener("afterprint", () => { printing = false; root.classList.remove("printing"); draw(); });

  speak(asked().language ?? ((navigator.languages ?? [navigator.language])[0]?.toLowerCase().startsWith("zh") ? "zh" : "en"));
  draw();
  goTo(asked().section);
})();
