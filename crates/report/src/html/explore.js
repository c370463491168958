// Explores a page of Fairtrial: values under the pointer, arms that hide, curves that zoom, tables that sort and filter.
// The page says the same without it. Plain JavaScript, no tool makes it.
"use strict";
const fairtrial = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const all = (root, what) => [...root.querySelectorAll(what)];
  const make = (name, attributes = {}, ...inside) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...inside.filter(it => it !== undefined && it !== null));
    return made;
  };
  const number = (value, digits = 4) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(digits - 1);
    return String(Number(value.toPrecision(digits)));
  };

  // ---- Charts -------------------------------------------------------------------------------------------------

  // The corners of a path, which is written in steps; a closed one that is a dot has its middle.
  const corners = element => {
    const found = [];
    let x = 0, y = 0;
    const parts = element.getAttribute("d").match(/[MlLz]|-?\d*\.?\d+/g) || [];
    let absolute = true;
    for (let i = 0; i < parts.length;) {
      if (parts[i] === "z") { i += 1; continue; }
      if (/[MlL]/.test(parts[i])) { absolute = parts[i] !== "l"; i += 1; continue; }
      const [right, down] = [Number(parts[i]), Number(parts[i + 1])];
      [x, y] = absolute ? [right, down] : [x + right, y + down];
      found.push([x, y]);
      if (absolute) absolute = false;
      i += 2;
    }
    return found;
  };
  const middle = element => {
    if (element.tagName === "circle") return [Number(element.getAttribute("cx")), Number(element.getAttribute("cy"))];
    const at = corners(element);
    const mean = place => (Math.min(...at.map(p => p[place])) + Math.max(...at.map(p => p[place]))) / 2;
    return [mean(0), mean(1)];
  };
  const numbers = text => (text || "").split(" ").map(Number);

  class Panel {
    constructor(group, chart) {
      this.group = group;
      this.chart = chart;
      [this.left, this.top, this.width, this.height] = numbers(group.dataset.area);
      this.x = this.wholeX = numbers(group.dataset.x);
      this.y = this.wholeY = numbers(group.dataset.y);
      this.rows = group.dataset.rows ? group.dataset.rows.split("\n") : null;
      this.columns = group.dataset.columns ? group.dataset.columns.split("\n") : null;
      this.names = {};
      for (const key of all(chart.svg, "g.key[data-s]")) {
        if (key.dataset.kind !== "band") this.names[key.dataset.s] ??= key.dataset.l;
      }
    }
    get marks() { return all(this.group, "g[data-kind]").filter(mark => !mark.classList.contains("ft-off")); }
    holds([x, y]) {
      return x >= this.left - 2 && x <= this.left + this.width + 2 && y >= this.top - 2 && y <= this.top + this.height + 2;
    }
    // From places of the drawing as it was made to values, and back to the places where they are shown now.
    valueX(x) { return this.wholeX[0] + (x - this.left) / this.width * (this.wholeX[1] - this.wholeX[0]); }
    valueY(y) { return this.wholeY[1] - (y - this.top) / this.height * (this.wholeY[1] - this.wholeY[0]); }
    shownX(value) { return this.left + (value - this.x[0]) / (this.x[1] - this.x[0]) * this.width; }
    shownY(value) { return this.top + (this.y[1] - value) / (this.y[1] - this.y[0]) * this.height; }
    atX(x) { return this.x[0] + (x - this.left) / this.width * (this.x[1] - this.x[0]); }
    atY(y) { return this.y[1] - (y - this.top) / this.height * (this.y[1] - this.y[0]); }

    // The lines of this panel as values, worked out once.
    get lines() {
      this.known ??= all(this.group, 'g[data-kind="line"]').map(mark => {
        const paths = all(mark, "path.l");
        const points = paths.flatMap(corners).map(([x, y]) => [this.valueX(x), this.valueY(y)]);
        return { mark, name: mark.dataset.l || this.names[mark.dataset.s] || "", points };
      }).filter(line => line.points.length > 1);
      return this.known;
    }
    // What is under a place: words, and where they belong.
    under([x, y]) {
      if (this.rows) return this.row(y);
      const shown = this.lines.filter(line => !line.mark.classList.contains("ft-off"));
      if (shown.length > 0) return this.step(shown, this.atX(x));
      return this.nearest([x, y]);
    }
    step(lines, at) {
      const nearest = line => line.points.reduce((best, point) =>
        Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best);
      const found = lines.map(line => [line.name, nearest(line)]);
      const step = found.reduce((best, [, point]) => Math.abs(point[0] - at) < Math.abs(best - at) ? point[0] : best,
        found[0][1][0]);
      const reach = (this.x[1] - this.x[0]) / 50;
      const values = found.filter(([, point]) => Math.abs(point[0] - step) <= reach);
      return { x: this.shownX(step), head: `${this.group.dataset.xl || "x"} ${number(step)}`,
        words: values.map(([name, point]) => `${name ? name + ": " : ""}${number(point[1])}`), step };
    }
    row(y) {
      const place = Math.round((y - this.top) / this.height * this.rows.length - 0.5);
      const tiles = this.marks.filter(mark => mark.dataset.kind === "tile").map(mark => /^(\S+) (\S+) (.*)$/.exec(mark.dataset.v));
      const across = tiles.filter(tile => Number(tile[1]) === place).map(tile => `${this.columns[Number(tile[2])]}: ${tile[3] || "–"}`);
      if (across.length > 0) return { y: this.top + (place + 0.5) / this.rows.length * this.height, head: this.rows[place], words: across };
      const here = this.marks.filter(mark => mark.dataset.kind === "range" && Math.round(numbers(mark.dataset.v)[0]) === place);
      if (here.length === 0) return null;
      const words = here.map(mark => {
        const [, low, value, high] = numbers(mark.dataset.v);
        const name = this.names[mark.dataset.s];
        return `${here.length > 1 && name ? name + ": " : ""}${number(value)} [${number(low)}, ${number(high)}]`;
      });
      return { y: this.top + (place + 0.5) / this.rows.length * this.height, head: this.rows[place], words };
    }
    nearest([x, y]) {
      let best = null;
      for (const mark of this.marks) {
        for (const dot of all(mark, ".k, .e")) {
          const at = middle(dot);
          const [px, py] = [this.shownX(this.valueX(at[0])), this.shownY(this.valueY(at[1]))];
          const away = Math.hypot(px - x, py - y);
          if (!best || away < best.away) best = { away, mark, at, px, py };
        }
      }
      if (!best || best.away > 24) return null;
      const name = best.mark.dataset.l || this.names[best.mark.dataset.s];
      const column = this.columns?.[Math.round(this.valueX(best.at[0]))];
      let words = number(this.valueY(best.at[1]));
      for (const whisker of (best.mark.dataset.kind === "whiskers" ? best.mark.dataset.v : "").split(";")) {
        const [wx, value, low, high] = numbers(whisker);
        const same = Math.abs(wx - this.valueX(best.at[0])) < (this.wholeX[1] - this.wholeX[0]) / 1e3;
        if (same) words = `${number(value)}${Number.isFinite(low) ? ` [${number(low)}, ${number(high)}]` : ""}`;
      }
      const step = this.columns ? column : `${this.group.dataset.xl || "x"} ${number(this.valueX(best.at[0]))}`;
      return { x: best.px, y: best.py, head: [name, step].filter(Boolean).join(", "), words: [words] };
    }

    get zooms() { return !this.rows && !this.columns && this.width > 0 && this.group.querySelector(".ax text"); }
    zoom(x, y) {
      this.x = x || this.wholeX;
      this.y = y || this.wholeY;
      const zoomed = Boolean(x || y);
      const kx = (this.wholeX[1] - this.wholeX[0]) / (this.x[1] - this.x[0]);
      const ky = (this.wholeY[1] - this.wholeY[0]) / (this.y[1] - this.y[0]);
      const tx = this.shownX(this.valueX(0)), ty = this.shownY(this.valueY(0));
      this.group.classList.toggle("ft-zoomed", zoomed);
      this.group.style.setProperty("--ft-ix", 1 / kx);
      this.group.style.setProperty("--ft-iy", 1 / ky);
      for (const mark of all(this.group, "g[data-kind]")) {
        if (zoomed) mark.setAttribute("transform", `matrix(${kx} 0 0 ${ky} ${tx} ${ty})`);
        else mark.removeAttribute("transform");
      }
      this.group.querySelector(".ft-axes")?.remove();
      if (zoomed) this.drawAxes();
    }
    drawAxes() {
      const axes = document.createElementNS(SVG, "g");
      axes.setAttribute("class", "ft-axes");
      const offset = label => Number((/− (-?[\d.e+-]+)$/.exec(label || "") || [0, 0])[1]) || 0;
      const add = (name, attributes, text) => {
        const made = document.createElementNS(SVG, name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        if (text !== undefined) made.textContent = text;
        axes.append(made);
      };
      const bottom = this.top + this.height;
      for (const [at, words] of ticks(this.x, offset(this.group.dataset.xl))) {
        const x = this.shownX(at);
        add("path", { d: `M${x} ${bottom}l0 4`, class: "g x" });
        add("text", { x, y: bottom + 18, "text-anchor": "middle", class: "f" }, words);
      }
      for (const [at, words] of ticks(this.y, offset(this.group.dataset.yl))) {
        const y = this.shownY(at);
        add("path", { d: `M${this.left} ${y}l${this.width} 0`, class: "g" });
        add("text", { x: this.left - 6, y: y + 4, "text-anchor": "end", class: "f" }, words);
      }
      this.group.prepend(axes);
    }
  }

  // Round numbers inside of a range, with their words.
  const ticks = ([low, high], offset) => {
    const rough = (high - low) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(by => by * power).find(size => size >= rough);
    const found = [];
    for (let n = Math.ceil(low / step); n * step <= high; n += 1) {
      found.push([n * step, String(Number((n * step - offset).toPrecision(6)))]);
    }
    return found;
  };

  class Chart {
    constructor(figure) {
      this.figure = figure;
      this.svg = figure.querySelector("svg");
      this.panels = all(this.svg, "g.plot").map(group => new Panel(group, this));
      this.legend();
      this.tip = make("div", { class: "ft-tip", role: "status", hidden: true });
      figure.append(this.tip);
      this.cursor = document.createElementNS(SVG, "path");
      this.cursor.setAttribute("class", "ft-cursor");
      this.svg.append(this.cursor);
      this.box = document.createElementNS(SVG, "rect");
      this.box.setAttribute("class", "ft-box");
      this.svg.append(this.box);
      this.whole = make("button", { class: "ft-whole", type: "button", hidden: true, onclick: () => this.reset() }, "Show all of it");
      figure.append(this.whole);
      const zooms = this.panels.some(panel => panel.zooms);
      this.svg.setAttribute("tabindex", "0");
      this.svg.setAttribute("data-hint", zooms ? "drag to zoom, double-click to see all" : "");
      this.svg.addEventListener("pointermove", event => this.move(event));
      this.svg.addEventListener("pointerleave", () => this.hide());
      this.svg.addEventListener("pointerdown", event => this.down(event));
      this.svg.addEventListener("pointerup", event => this.up(event));
      this.svg.addEventListener("dblclick", () => this.reset());
      this.svg.addEventListener("blur", () => this.hide());
      this.svg.addEventListener("keydown", event => this.key(event));
    }
    place(event) {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      return [at.x, at.y];
    }
    panelAt(at) { return this.panels.find(panel => panel.holds(at)); }
    move(event) {
      const at = this.place(event);
      if (this.from) return this.drag(at);
      const panel = this.panelAt(at);
      const found = panel?.under(at);
      if (found) this.show(panel, found); else this.hide();
    }
    show(panel, found) {
      this.tip.replaceChildren(make("b", {}, found.head), ...found.words.map(words => make("div", {}, words)));
      this.tip.hidden = false;
      const matrix = this.svg.getScreenCTM();
      const at = new DOMPoint(found.x ?? panel.left + panel.width / 2, found.y ?? panel.top).matrixTransform(matrix);
      const around = this.figure.getBoundingClientRect();
      const left = at.x - around.left + 12;
      const turned = left + this.tip.offsetWidth > around.width;
      this.tip.style.left = `${Math.max(0, turned ? left - this.tip.offsetWidth - 24 : left)}px`;
      this.tip.style.top = `${Math.max(0, at.y - around.top - (found.y === undefined ? 0 : this.tip.offsetHeight + 10))}px`;
      const line = found.y !== undefined && found.x !== undefined ? `M${found.x - 6} ${found.y}l12 0M${found.x} ${found.y - 6}l0 12`
        : found.x === undefined ? "" : `M${found.x} ${panel.top}l0 ${panel.height}`;
      this.cursor.setAttribute("d", line);
    }
    hide() {
      this.tip.hidden = true;
      this.cursor.removeAttribute("d");
    }
    down(event) {
      const at = this.place(event);
      const panel = this.panelAt(at);
      if (!panel?.zooms || event.button !== 0 || event.pointerType === "touch") return;
      this.from = { at, panel };
      this.svg.setPointerCapture(event.pointerId);
      event.preventDefault();
      this.svg.focus({ preventScroll: true });
    }
    drag([x, y]) {
      const { at, panel } = this.from;
      const clamp = (value, low, size) => Math.min(low + size, Math.max(low, value));
      const [x0, x1] = [at[0], clamp(x, panel.left, panel.width)].sort((a, b) => a - b);
      let [y0, y1] = [at[1], clamp(y, panel.top, panel.height)].sort((a, b) => a - b);
      if (y1 - y0 < 24) [y0, y1] = [panel.top, panel.top + panel.height];
      this.from.chosen = [x0, x1, y0, y1];
      for (const [key, value] of Object.entries({ x: x0, y: y0, width: x1 - x0, height: y1 - y0 })) this.box.setAttribute(key, value);
    }
    up() {
      const from = this.from;
      this.from = null;
      for (const key of ["x", "y", "width", "height"]) this.box.removeAttribute(key);
      if (!from?.chosen || from.chosen[1] - from.chosen[0] < 8) return;
      const [x0, x1, y0, y1] = from.chosen;
      const panel = from.panel;
      const y = y1 - y0 >= panel.height - 1 ? (panel.y === panel.wholeY ? null : panel.y) : [panel.atY(y1), panel.atY(y0)];
      panel.zoom([panel.atX(x0), panel.atX(x1)], y);
      this.whole.hidden = false;
    }
    reset() {
      for (const panel of this.panels) panel.zoom(null, null);
      this.whole.hidden = true;
    }
    key(event) {
      const panel = this.panels[0];
      if (!panel || event.target !== this.svg) return;
      if (event.key === "Escape" || event.key === "0") { this.reset(); this.hide(); return; }
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      if (panel.rows) {
        this.at = Math.min(panel.rows.length - 1, Math.max(0, (this.at ?? -1) + by));
        const found = panel.row(panel.top + (this.at + 0.5) / panel.rows.length * panel.height);
        if (found) this.show(panel, found);
      } else if (panel.lines.length > 0) {
        const [low, high] = panel.x;
        this.at = Math.min(1, Math.max(0, (this.at ?? 0.5) + by / 40));
        this.show(panel, panel.step(panel.lines, low + this.at * (high - low)));
      }
    }
    legend() {
      const keys = all(this.svg, "g.key[data-s]").filter(key => key.dataset.kind !== "band" && key.dataset.kind !== "other");
      if (keys.length < 2) return;
      for (const key of keys) {
        const press = () => {
          const off = key.classList.toggle("ft-off");
          key.setAttribute("aria-pressed", String(!off));
          const same = [...all(this.svg, `g[data-kind][data-s="${key.dataset.s}"]`)];
          for (const mark of same) if (!mark.classList.contains("key")) mark.classList.toggle("ft-off", off);
        };
        key.setAttribute("role", "button");
        key.setAttribute("tabindex", "0");
        key.setAttribute("aria-pressed", "true");
        key.setAttribute("aria-label", `show ${key.dataset.l}`);
        key.addEventListener("click", press);
        key.addEventListener("keydown", event => {
          if (event.key === "Enter" || event.key === " ") { event.preventDefault(); press(); }
        });
      }
      // A picture with parts to press is no picture any more for who cannot see it.
      this.svg.setAttribute("role", "group");
    }
  }

  // ---- Tables -------------------------------------------------------------------------------------------------

  const value = cell => {
    const text = cell?.textContent.trim() ?? "";
    const found = /^[^\d\-−+]*([-−+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?)/i.exec(text);
    return { text, number: found ? Number(found[1].replace(/,/g, "").replace("−", "-")) : NaN };
  };
  const sortable = table => {
    const body = table.tBodies[0];
    if (!body || body.rows.length < 2 || table.dataset.ready) return;
    table.dataset.ready = "1";
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const title = head.textContent;
      const press = () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const keyed = rows.map(row => [value(row.cells[place]), row]);
        const numeric = keyed.filter(([key]) => Number.isFinite(key.number)).length * 2 > keyed.length;
        keyed.sort(([a], [b]) => {
          if (!numeric) return (up ? 1 : -1) * a.text.localeCompare(b.text, "en", { numeric: true });
          const [no, other] = [!Number.isFinite(a.number), !Number.isFinite(b.number)];
          return no || other ? no - other : (up ? 1 : -1) * (a.number - b.number);
        });
        body.append(...keyed.map(([, row]) => row));
      };
      const button = make("button", { type: "button", class: "ft-sort", onclick: press });
      button.append(...head.childNodes);
      if (title) head.append(button);
    });
    if (rows.length < 8) return;
    const count = make("span", { class: "ft-count", role: "status" });
    const input = make("input", { type: "search", placeholder: "filter rows", "aria-label": "filter the rows of this table", oninput: () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every(word => text.includes(word));
        shown += !row.hidden;
      }
      count.textContent = words.length > 0 ? `${shown} of ${rows.length}` : "";
    } });
    table.before(make("div", { class: "ft-filter" }, input, count));
  };

  // A table of any length: only the rows on the screen are there. `source.page(query, offset, limit)` promises
  // `{ total, metrics, rows }`.
  const ROW = 30, PAGE = 100;
  class LongTable {
    constructor(box, source, open) {
      Object.assign(this, { box, source, open, query: { q: "", status: "", arm: "", task: "", sort: "", desc: "" }, pages: new Map(), asked: 0 });
      this.controls = make("div", { class: "ft-filter" });
      const input = make("input", { type: "search", placeholder: "search trials", "aria-label": "search trials", oninput: () => {
        clearTimeout(this.later);
        this.later = setTimeout(() => this.ask({ q: input.value }), 150);
      } });
      this.controls.append(input);
      for (const [key, title, options] of [["status", "any outcome", source.statuses], ["arm", "any arm", source.arms], ["task", "any task", source.tasks]]) {
        if (!options || options.length < 2) continue;
        const select = make("select", { "aria-label": key, onchange: () => this.ask({ [key]: select.value }) },
          make("option", { value: "" }, title), ...options.map(option => make("option", { value: option }, option)));
        this.controls.append(select);
      }
      this.count = make("span", { class: "ft-count", role: "status" });
      this.controls.append(this.count);
      this.head = make("div", { class: "ft-row ft-head", role: "row" });
      this.space = make("div", { class: "ft-space", role: "presentation" });
      this.scroll = make("div", { class: "ft-scroll", tabindex: "0", role: "table", "aria-label": "trials" }, this.head, this.space);
      this.scroll.addEventListener("scroll", () => this.draw(), { passive: true });
      box.replaceChildren(this.controls, this.scroll);
      this.ready = this.ask({});
    }
    columns(metrics) {
      return [["trial", "trial"], ["status", "outcome"], ["task", "task"], ["arm", "arm"], ["seed", "seed"], ["wall", "time (s)"],
        ...metrics.map(name => [name, name])];
    }
    async ask(change) {
      Object.assign(this.query, change);
      this.pages.clear();
      const asked = this.asked += 1;
      const first = await this.source.page(this.query, 0, PAGE);
      if (asked !== this.asked) return;
      this.total = first.total;
      this.metrics = first.metrics;
      this.pages.set(0, first.rows);
      this.count.textContent = `${first.total.toLocaleString("en")} ${first.total === 1 ? "trial" : "trials"}`;
      this.scroll.setAttribute("aria-rowcount", String(first.total + 1));
      this.drawHead();
      if (Object.keys(change).length > 0) this.scroll.scrollTop = 0;
      this.draw();
    }
    drawHead() {
      this.head.replaceChildren(...this.columns(this.metrics).map(([key, title]) => {
        const sorted = this.query.sort === key || (key === "trial" && !this.query.sort);
        const press = () => this.ask({ sort: key, desc: sorted && !this.query.desc ? "1" : "" });
        const order = sorted ? (this.query.desc ? "descending" : "ascending") : "none";
        return make("div", { role: "columnheader", "aria-sort": order, title },
          make("button", { type: "button", class: "ft-sort", onclick: press }, title));
      }));
      this.scroll.style.setProperty("--ft-columns", this.columns(this.metrics).length - 4);
    }
    async draw() {
      this.space.style.height = `${this.total * ROW}px`;
      const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 5);
      const last = Math.min(this.total, first + Math.ceil(this.scroll.clientHeight / ROW) + 10);
      const asked = this.asked;
      const rows = [];
      for (let at = first; at < last; at += 1) {
        const page = Math.floor(at / PAGE);
        const known = this.pages.get(page);
        if (known === undefined) {
          this.pages.set(page, null);
          this.source.page(this.query, page * PAGE, PAGE).then(found => {
            if (asked !== this.asked) return;
            this.pages.set(page, found.rows);
            this.draw();
          }, () => this.pages.delete(page));
        }
        const row = known?.[at - page * PAGE];
        rows.push(this.row(row, at));
      }
      this.space.replaceChildren(...rows);
    }
    row(row, at) {
      const made = make("div", { class: `ft-row ${row ? `ft-${row.status.replace(" ", "-")}` : ""}`, role: "row", "aria-rowindex": String(at + 2) });
      made.style.top = `${at * ROW}px`;
      if (!row) return made;
      const who = [row.arm, row.point].filter(Boolean).join(" · ");
      const seed = row.rollout ? `${row.seed} · ${row.rollout}` : row.seed;
      const cells = [row.trial, row.status, row.task, who, seed, number(row.wall, 3), ...this.metrics.map((_, place) => number(row.values[place]))];
      cells.forEach((text, place) => {
        const cell = make("div", { role: "cell", title: place === 1 && row.cause ? row.cause : String(text) });
        const link = place === 0 && this.open?.(row);
        if (link) cell.append(make("a", { href: link }, String(text)));
        else cell.textContent = place === 1 && row.cause ? `${text}: ${row.cause}` : String(text);
        made.append(cell);
      });
      return made;
    }
    // Asks again without losing the place.
    renew() { return this.ask({}); }
  }

  // The trials of a report as a source for a long table.
  const ofReport = data => {
    const { task, arm, point, seed, rollout, outcome, wall, names, values } = data;
    const one = (column, place) => column.length === 1 ? column[0] : column[place];
    const at = (column, place) => data.words[one(column, place)] ?? "";
    const row = place => ({
      trial: data.trial?.[place] ?? place, task: at(task, place), arm: at(arm, place), point: at(point, place), seed: seed[place],
      rollout: rollout?.[place] ?? 0, status: at(outcome, place), wall: one(wall, place), cause: "",
      values: values.map(column => column[place]),
    });
    const { count } = data;
    const known = column => [...new Set(column)].map(word => data.words[word]).filter(Boolean);
    let last = {};
    const found = query => {
      const key = JSON.stringify(query);
      if (last.key === key) return last.found;
      const words = query.q.toLowerCase().split(/\s+/).filter(Boolean);
      const is = (wanted, word) => !wanted || wanted === word;
      const chosen = [];
      for (let place = 0; place < count; place += 1) {
        if (!is(query.status, at(outcome, place)) || !is(query.arm, at(arm, place)) || !is(query.task, at(task, place))) continue;
        if (words.length > 0) {
          const it = row(place);
          const text = `${it.trial} ${it.task} ${it.arm} ${it.point} seed ${it.seed} rollout ${it.rollout} ${it.status} ${it.cause}`.toLowerCase();
          if (!words.every(word => text.includes(word))) continue;
        }
        chosen.push(place);
      }
      const by = { task, arm, status: outcome }[query.sort];
      const plain = { seed, wall }[query.sort] ?? values[names.indexOf(query.sort)];
      const turn = query.desc ? -1 : 1;
      if (by) chosen.sort((a, b) => turn * at(by, a).localeCompare(at(by, b)) || a - b);
      else if (plain) chosen.sort((a, b) => {
        const [x, y] = [one(plain, a), one(plain, b)];
        const [no, other] = [x === null || x === undefined, y === null || y === undefined];
        return no || other ? no - other : turn * (x - y) || a - b;
      });
      else if (query.desc) chosen.reverse();
      last = { key, found: chosen };
      return chosen;
    };
    return {
      statuses: known(outcome), arms: known(arm), tasks: known(task),
      page: async (query, offset, limit) => {
        const chosen = found(query);
        return { total: chosen.length, metrics: names, rows: chosen.slice(offset, offset + limit).map(row) };
      },
    };
  };

  // ---- A whole page ---------------------------------------------------------------------------------------------

  const enhance = root => {
    for (const figure of all(root, "figure")) {
      if (figure.dataset.ready || !figure.querySelector("svg.ft-chart g.plot")) continue;
      figure.dataset.ready = "1";
      new Chart(figure);
    }
    for (const table of all(root, ".table table")) if (table.tHead) sortable(table);
  };
  // Paper shows what a screen folds away.
  addEventListener("beforeprint", () => all(document, "details:not([open])").forEach(it => { it.open = true; it.dataset.opened = "1"; }));
  addEventListener("afterprint", () => all(document, "details[data-opened]").forEach(it => { it.open = false; delete it.dataset.opened; }));
  return { enhance, LongTable, ofReport, make, number, all };
})();
{
  const begin = () => {
    const data = document.getElementById("fairtrial-data");
    if (!data) return;
    document.documentElement.classList.add("ft-scripted");
    fairtrial.enhance(document);
    const trials = JSON.parse(data.textContent).trials;
    const box = document.getElementById("trial-table");
    if (box && trials?.count > 0) {
      const linked = id => document.getElementById(`trial-${id}`);
      const bundle = document.documentElement.dataset.bundle;
      new fairtrial.LongTable(box, fairtrial.ofReport(trials), row =>
        linked(row.trial) ? `#trial-${row.trial}` : bundle ? `trials/${row.trial}.html` : null);
      const openTarget = () => {
        const target = location.hash.startsWith("#trial-") && document.getElementById(location.hash.slice(1));
        if (target) target.open = true;
      };
      addEventListener("hashchange", openTarget);
      openTarget();
    }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", begin);
  else begin();
}
