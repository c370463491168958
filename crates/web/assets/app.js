// The live page of Fairtrial. Plain JavaScript, committed as it is; `explore.js` of the report draws tables and charts.
"use strict";
(() => {
  const { make, number, enhance, LongTable } = fairtrial;
  const main = document.getElementById("main");
  const where = document.querySelector(".where");
  const state = document.querySelector(".state");
  let leave = [];
  let control = false;

  // ---- Asking ---------------------------------------------------------------------------------------------------

  const address = (path, query = {}) => {
    const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value !== undefined && value !== null));
    return asked.size > 0 ? `${path}?${asked}` : path;
  };
  const ask = async (path, query) => {
    const answer = await fetch(address(path, query));
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.json();
  };
  const follow = (query, events) => {
    const source = new EventSource(address("api/events", query));
    source.onopen = () => { state.textContent = "live"; };
    source.onerror = () => { state.textContent = "no connection, trying again"; };
    for (const [name, heard] of Object.entries(events)) source.addEventListener(name, event => heard(JSON.parse(event.data)));
    leave.push(() => { source.close(); state.textContent = ""; });
  };
  const every = (seconds, what) => {
    const timer = setInterval(() => { if (!document.hidden) what(); }, seconds * 1000);
    leave.push(() => clearInterval(timer));
  };

  // ---- Words ----------------------------------------------------------------------------------------------------

  const span = seconds => {
    if (seconds === null || seconds === undefined) return "";
    if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
    if (seconds < 100) return `${number(seconds, 3)} s`;
    if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
    return `${number(seconds / 3600, 3)} h`;
  };
  const size = bytes => bytes < 1024 ? `${bytes} B` : bytes < 1 << 20 ? `${number(bytes / 1024, 3)} KiB` : `${number(bytes / (1 << 20), 3)} MiB`;
  const moment = text => text ? text.replace("T", " ").replace(/\.\d+Z$|Z$/, " UTC") : "";
  const badge = word => make("span", { class: `badge b-${word.replace(" ", "-")}` }, word);
  const many = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
  const BAD = ["failed", "timeout", "oom", "infra"];
  const meter = (counts, trials, running = 0) => {
    const bad = BAD.reduce((sum, word) => sum + (counts[word] || 0), 0);
    const other = (counts.cancelled || 0) + (counts.skipped || 0);
    const ended = counts.ok + bad + other;
    const part = (count, name) => {
      const made = make("i", { class: `m-${name}` });
      made.style.width = `${trials > 0 ? 100 * count / trials : 0}%`;
      return made;
    };
    return make("div", { class: "meter", role: "img", "aria-label": `${ended} of ${trials} trials ended, ${bad} failed` },
      part(counts.ok, "ok"), part(bad, "bad"), part(other, "other"), part(running, "running"));
  };
  const outcomes = counts => Object.entries(counts).filter(([, count]) => count > 0).map(([word, count]) => `${count} ${word}`).join(", ");
  const runLink = (name, stamp) => `#/run/${encodeURIComponent(name)}/${stamp}`;
  const historyLink = name => `#/history/${encodeURIComponent(name)}`;
  const trialLink = (run, trial) => `#/run/${run.split("/").map(encodeURIComponent).join("/")}/trial/${trial}`;
  const title = (...parts) => {
    document.title = [...parts.map(([words]) => words).reverse(), "Fairtrial"].join(" · ");
    where.replaceChildren(...parts.flatMap(([words, link]) => ["›", link ? make("a", { href: link }, words) : make("span", { "aria-current": "page" }, words)]));
  };
  const refused = error => make("p", { class: "said bad", role: "alert" }, error.message);

  // ---- All runs -------------------------------------------------------------------------------------------------

  const runsPage = async () => {
    title(["runs"]);
    const query = { q: "", status: "", name: "" };
    const chosen = new Set();
    let shown = 100, asked = 0;
    const input = make("input", { type: "search", placeholder: "search runs", "aria-label": "search runs", oninput: () => change({ q: input.value }) });
    const words = ["running", "finished", "failures", "cancelled", "budget", "cut off", "error", "detached"];
    const status = make("select", { "aria-label": "status", onchange: () => change({ status: status.value }) },
      make("option", { value: "" }, "any status"), ...words.map(word => make("option", { value: word }, word === "failures" ? "with failures" : word)));
    const name = make("select", { "aria-label": "benchmark", onchange: () => change({ name: name.value }) }, make("option", { value: "" }, "any benchmark"));
    const compare = make("button", { type: "button", disabled: true, onclick: () => {
      const [a, b] = [...chosen].sort((x, y) => x.slice(-18).localeCompare(y.slice(-18)));
      location.hash = address("#/compare", { a, b });
    } }, "Compare the two chosen runs");
    const count = make("span", { class: "ft-count", role: "status" });
    const body = make("tbody");
    const more = make("button", { type: "button", class: "more", hidden: true, onclick: () => { shown += 200; load(); } }, "Show more");
    const head = ["", "benchmark", "run", "status", "trials", "outcomes", "began"].map(text => make("th", { scope: "col" }, text));
    const table = make("table", { class: "runs" }, make("thead", {}, make("tr", {}, ...head)), body);
    const root = make("p", { class: "facts" });
    main.replaceChildren(make("div", { class: "head" }, make("h1", {}, "Runs")), root,
      make("div", { class: "tools" }, input, status, name, compare, count), make("div", { class: "table" }, table), more);
    const change = what => { Object.assign(query, what); shown = 100; load(); };
    const row = run => {
      const id = `${run.name}/${run.stamp}`;
      const box = make("input", { type: "checkbox", "aria-label": `choose ${id} to compare`, onchange: () => {
        if (box.checked) chosen.add(id); else chosen.delete(id);
        compare.disabled = chosen.size !== 2;
      } });
      box.checked = chosen.has(id);
      const cell = (of, ...inside) => make("td", { "data-of": of }, ...inside);
      return make("tr", {}, cell("compare", box), cell("benchmark", make("a", { href: historyLink(run.name), title: "all runs of it, metric by metric" }, run.name)), cell("run", make("a", { href: runLink(run.name, run.stamp) }, run.stamp)),
        cell("status", badge(run.word), run.mixes_code ? make("small", { title: "its trials ran different versions of the code" }, " mixes code") : ""), cell("trials", `${Object.values(run.counts).reduce((a, b) => a + b, 0)}/${run.trials}`, meter(run.counts, run.trials)),
        cell("outcomes", outcomes(run.counts)), cell("began", moment(run.created_at)));
    };
    const load = async () => {
      const mine = asked += 1;
      const page = await ask("api/runs", { ...query, limit: Math.min(shown, 500) });
      if (mine !== asked) return;
      control = page.control;
      while (page.rows.length < Math.min(shown, page.total)) {
        const next = await ask("api/runs", { ...query, offset: page.rows.length, limit: 500 });
        if (mine !== asked || next.rows.length === 0) break;
        page.rows.push(...next.rows);
      }
      root.textContent = page.root;
      count.textContent = many(page.total, "run");
      const known = [...name.options].map(option => option.value);
      for (const one of page.names) if (!known.includes(one)) name.append(make("option", { value: one }, one));
      body.replaceChildren(...page.rows.map(row));
      more.hidden = page.total <= page.rows.length;
      if (page.total === 0) body.append(make("tr", {}, make("td", { colspan: 7 }, query.q || query.status || query.name ? "No run is like that." : "There are no runs yet: `fairtrial run SPEC` makes one.")));
    };
    await load();
    follow({}, { runs: () => load() });
  };

  // ---- One run --------------------------------------------------------------------------------------------------

  const list = (heading, items, none) => make("section", { class: "card" }, make("h2", {}, heading),
    items.length > 0 ? make("ul", {}, ...items) : make("p", { class: "note" }, none));

  const now = (run, id) => {
    const ended = Object.values(run.counts).reduce((a, b) => a + b, 0);
    const left = run.left_s ? `, about ${span(run.left_s)} left` : "";
    const parts = [meter(run.counts, run.trials, run.running),
      make("p", {}, `${ended.toLocaleString("en")} of ${many(run.trials, "trial")} ended (${outcomes(run.counts) || "none yet"})${left}`)];
    for (const problem of run.problems) parts.push(make("p", { class: "said bad" }, problem));
    const cards = [];
    if (run.live) {
      const flights = run.in_flight.map(it => make("li", {}, make("a", { href: trialLink(id, it.trial) }, it.label),
        make("small", { "data-since": it.elapsed_s === null ? undefined : String(Date.now() / 1000 - it.elapsed_s) }, span(it.elapsed_s))));
      cards.push(list(run.slots ? `Running: ${run.running} in ${many(run.slots, "slot")}` : `Running: ${run.running}`, flights, "Nothing at this moment."));
      cards.push(list(`Waiting: ${run.waiting.toLocaleString("en")}`, run.next.map(it => make("li", {}, it.label)), "Nothing waits."));
    }
    if (run.failed.length > 0) {
      const failed = run.failed.map(it => make("li", {}, make("span", {}, make("a", { href: trialLink(id, it.trial) }, label(it)),
        make("span", { class: "cause" }, `${it.outcome}${it.cause ? `: ${it.cause}` : ""}`)), make("small", {}, span(it.wall))));
      cards.push(list("Newest failures", failed, ""));
    }
    if (cards.length > 0) parts.push(make("div", { class: "cards" }, ...cards));
    return parts;
  };
  const label = it => [it.task, it.arm, it.point, `seed ${it.seed}`, it.rollout ? `rollout ${it.rollout}` : ""].filter(Boolean).join(" · ");

  const command = async (what, id, said) => {
    try {
      const answer = await fetch(address("api/control", { run: id, do: what }), { method: "POST" });
      said.textContent = (await answer.text()).trim();
      said.hidden = false;
      said.classList.toggle("bad", !answer.ok);
    } catch (error) {
      said.replaceWith(refused(error));
    }
  };

  const runPage = async (name, stamp) => {
    const id = `${name}/${stamp}`;
    title([name, "#/"], [stamp]);
    const run = await ask("api/run", { run: id });
    if (!control) control = (await ask("api/runs", { limit: 1, q: stamp })).control;
    const status = make("span", {}, badge(run.status));
    const said = make("p", { class: "said", role: "status", hidden: true });
    const buttons = make("span", { class: "tools" });
    const head = make("div", { class: "head" }, make("h1", {}, name), status, buttons);
    const facts = make("p", { class: "facts" });
    const live = make("div", {});
    const answers = make("div", { class: "report" }, make("p", { class: "note" }, "The report is being made."));
    const trials = make("div", {});
    const arms = make("div", { class: "tools" });
    main.replaceChildren(head, facts, said, live, arms, answers, make("h2", { id: "all-trials" }, "Trials"), trials);
    if (run.arms.length > 1) {
      const pick = (words, place) => {
        const select = make("select", { "aria-label": words }, ...run.arms.map(arm => make("option", { value: arm }, arm)));
        select.selectedIndex = place;
        return select;
      };
      const [a, b] = [pick("control arm", 0), pick("candidate arm", 1)];
      arms.append("Compare", a, "with", b, make("button", { type: "button", onclick: () => { location.hash = address("#/compare", { run: id, a: a.value, b: b.value }); } }, "Compare"));
    }
    const table = new LongTable(trials, {
      statuses: ["ok", "failed", "timeout", "oom", "infra", "cancelled", "skipped", "running", "waiting", "cut off"],
      arms: run.arms, tasks: run.tasks,
      page: (query, offset, limit) => ask("api/trials", { run: id, ...query, offset, limit }),
    }, row => trialLink(id, row.trial));
    let drawn = 0, made = "";
    const report = async () => {
      // Nothing moves under a reader's hand.
      if (answers.querySelector(".ft-zoomed, .ft-tip:not([hidden])") || answers.contains(document.activeElement)) return;
      const answer = await fetch(address("report", { run: id }));
      const text = await answer.text();
      if (!answer.ok) { answers.replaceChildren(refused(new Error(text))); return; }
      if (text === made) return;
      made = text;
      const open = [...answers.querySelectorAll("details")].map(it => it.open);
      const parsed = new DOMParser().parseFromString(text.replace(/<style>[^]*?<\/style>/, ""), "text/html");
      answers.replaceChildren(...parsed.querySelector("main").childNodes);
      for (const there of answers.querySelectorAll(":scope > header, :scope > nav, :scope > footer, #trials-all")) there.remove();
      answers.querySelectorAll("details").forEach((it, place) => { it.open = open[place] || false; });
      enhance(answers);
    };
    let last = run;
    const show = seen => {
      const ended = last.live && !seen.live;
      last = seen;
      status.replaceChildren(badge(seen.status));
      facts.textContent = [seen.stamp, seen.config, `began ${moment(seen.created_at)}`, seen.ended_at ? `ended ${moment(seen.ended_at)}` : "",
        seen.controller ? `process ${seen.controller.pid} on ${seen.controller.host}` : "", ...seen.tags].filter(Boolean).join(" · ");
      live.replaceChildren(...now(seen, id));
      const button = (what, words) => make("button", { type: "button", onclick: () => command(what, id, said) }, words);
      const sure = () => { if (confirm("Stop this run? What is in flight is ended.")) command("cancel", id, said); };
      const cancel = make("button", { type: "button", onclick: sure }, "Cancel");
      const all = Object.values(seen.counts).reduce((a, b) => a + b, 0);
      const offered = !control ? [] : seen.live ? [seen.paused ? button("continue", "Continue") : button("pause", "Pause"), cancel]
        : all < seen.trials ? [button("resume", "Resume")] : [];
      buttons.replaceChildren(...offered, make("a", { href: address("report", { run: id }), target: "_blank", rel: "noopener" }, "Report as one page"),
        make("a", { href: historyLink(name) }, "History"),
        make("a", { href: "#all-trials" }, "Trials"));
      if (seen.version !== drawn || ended) {
        if (drawn !== 0 && Date.now() - (table.renewed || 0) > 1000) { table.renewed = Date.now(); table.renew(); }
        drawn = seen.version;
        report().catch(error => answers.replaceChildren(refused(error)));
      }
    };
    show(run);
    follow({ run: id }, { run: show });
    every(1, () => {
      for (const it of live.querySelectorAll("[data-since]")) it.textContent = span(Date.now() / 1000 - Number(it.dataset.since));
    });
    every(5, () => { if (last.live) { report(); table.renew(); } });
  };

  // ---- One trial ------------------------------------------------------------------------------------------------

  const pairs = entries => make("dl", { class: "pair" }, ...entries.filter(([, value]) => value !== "" && value !== undefined && value !== null)
    .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  const valueTable = (heading, entries) => entries.length === 0 ? null : make("div", { class: "table" }, make("h2", {}, heading),
    make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "name"), make("th", { scope: "col", class: "n" }, "value"))),
      make("tbody", {}, ...entries.map(([name, value]) => make("tr", {}, make("td", { "data-of": "name" }, name), make("td", { class: "n", "data-of": "value" }, String(value)))))));
  const isText = path => /(\.(log|txt|md|jsonl?|csv|tsv|toml|ya?ml|sh|py|rs|diff|patch|html?|xml|svg|tb|js|css|ini|cfg|err|out)|(^|\/)[^.]+)$/i.test(path);
  const isPicture = path => /\.(png|jpe?g|gif|webp)$/i.test(path);

  // A log, its end first, with what comes after it while the trial runs.
  const reader = (id, trial, attempt, path, running) => {
    const text = make("pre", { class: "text log", tabindex: "0", "aria-label": path });
    const note = make("p", { class: "note" });
    const before = make("button", { type: "button", hidden: true }, "Show it from its beginning");
    const stay = make("input", { type: "checkbox", checked: true, id: "stay" });
    const box = make("div", {}, make("div", { class: "tools" }, before, make("a", { href: address("file", { run: id, trial, attempt, path }), download: true }, "Save the file"),
      running() ? make("label", {}, stay, " follow") : null, note), text);
    let at = null, first = 0;
    const coloured = /\.(diff|patch)$/i.test(path);
    const put = (words, fresh) => {
      if (fresh) text.replaceChildren();
      if (!coloured) { text.append(words); return; }
      for (const line of words.split(/(?<=\n)/)) {
        const kind = /^(\+\+\+|---|@@|diff )/.test(line) ? "at" : line[0] === "+" ? "add" : line[0] === "-" ? "del" : "";
        text.append(kind ? make("span", { class: `diff-${kind}` }, line) : line);
      }
    };
    const more = async () => {
      const part = await ask("api/text", { run: id, trial, attempt, path, from: at });
      const fresh = at === null;
      if (fresh) first = part.from;
      put(part.text, fresh);
      at = part.to;
      before.hidden = first === 0;
      note.textContent = first > 0 ? `${size(part.size)}; what came before is not shown` : size(part.size);
      if (stay.checked && (running() || fresh)) text.scrollTop = text.scrollHeight;
      return part.to < part.size && part.text !== "";
    };
    before.onclick = async () => {
      [at, first] = [0, 0];
      text.replaceChildren();
      stay.checked = false;
      for (let round = 0; round < 40 && await more(); round += 1);
      before.hidden = true;
    };
    const started = more().catch(error => box.append(refused(error)));
    return { box, more: () => started.then(() => stay.checked && at !== null && more()).catch(() => {}) };
  };

  const trialPage = async (name, stamp, trial) => {
    const id = `${name}/${stamp}`;
    const attempt = undefined;
    let found = await ask("api/trial", { run: id, trial });
    title([name, "#/"], [stamp, runLink(name, stamp)], [`trial ${trial}`]);
    const running = () => found.status === "running";
    const fixed = make("div", {}), files = make("div", {}), open = make("div", {});
    const status = make("span", {});
    main.replaceChildren(make("div", { class: "head" }, make("h1", {}, found.label), status), fixed, make("h2", {}, "Files"), files, open);
    let reading = null, path = "";
    const read = wanted => {
      path = wanted;
      reading = null;
      if (isPicture(path)) open.replaceChildren(make("img", { src: address("file", { run: id, trial, attempt: found.attempt, path }), alt: path }));
      else { reading = reader(id, trial, found.attempt, path, running); open.replaceChildren(reading.box); }
      tabs();
    };
    const tabs = () => {
      const tab = file => isText(file.path) || isPicture(file.path)
        ? make("button", { type: "button", "aria-selected": String(file.path === path), role: "tab", onclick: () => read(file.path) }, `${file.path} (${size(file.bytes)})`)
        : make("a", { href: address("file", { run: id, trial, attempt: found.attempt, path: file.path }), download: true }, `${file.path} (${size(file.bytes)})`);
      files.replaceChildren(make("div", { class: "tabs", role: "tablist", "aria-label": "files" }, ...found.files.map(tab)),
        found.more_files ? make("p", { class: "note" }, "There are more files in its folder.") : "");
    };
    const show = () => {
      const record = found.record || {};
      status.replaceChildren(badge(found.status));
      const exit = record.exit ? (record.exit.code !== undefined ? `exit code ${record.exit.code}` : `signal ${record.exit.signal}`) : "";
      const facts = pairs([["outcome", found.status + (found.row.cause ? `: ${found.row.cause}` : "")], ["ended by", exit], ["seed", String(found.row.seed)],
        ["attempt", found.attempt > 1 ? `${found.attempt} of ${found.row.attempts}` : ""], ["began", moment(record.started_at)], ["ended", moment(record.ended_at)],
        ["host", record.host], ["folder", found.dir], ["taken over from", record.reused_from]]);
      const metrics = Object.entries(record.metrics || {}).map(([key, value]) => [key, typeof value === "number" ? number(value, 6) : value]);
      const resources = Object.entries(record.resources || {}).map(([key, value]) => [key, typeof value === "number" ? (key.endsWith("bytes") ? size(value) : number(value, 5)) : typeof value === "string" ? value : JSON.stringify(value)]);
      const stated = Object.entries(record.facts || {});
      const charts = make("div", { class: "charts" });
      charts.innerHTML = found.charts.map(svg => `<figure>${svg}</figure>`).join("");
      const notes = (record.notes || []).map(note => make("p", { class: "warning" }, note));
      const script = found.script ? make("details", {}, make("summary", {}, "The command"), make("pre", { class: "commands" }, found.script)) : "";
      fixed.replaceChildren(facts, ...notes, charts, ...[valueTable("Metrics", metrics), valueTable("What it used", resources), valueTable("What it said about itself", stated)].filter(Boolean), script);
      enhance(fixed);
    };
    show();
    const logs = found.files.filter(file => file.bytes > 0 && /(^|\/)logs\//.test(file.path));
    const wanted = found.status === "ok" || running() ? /stdout|agent/ : /stderr|agent/;
    const first = logs.find(file => wanted.test(file.path)) || logs[0] || found.files.find(file => isText(file.path));
    if (first) read(first.path); else tabs();
    let looked = 0;
    every(1, async () => {
      if (!running() && looked > 0) return;
      if (reading) reading.more();
      if ((looked += 1) % 3 === 0 || !running()) {
        found = await ask("api/trial", { run: id, trial });
        if (!running()) looked = 1; 
        show();
        tabs();
      }
    });
  };

  // ---- Two against each other -------------------------------------------------------------------------------------

  const comparePage = async query => {
    const [a, b, run] = [query.get("a"), query.get("b"), query.get("run") || ""];
    const link = id => runLink(...id.split("/"));
    title(["compare"]);
    const side = id => run ? make("span", {}, id) : make("a", { href: link(id) }, id);
    const turn = make("a", { href: address("#/compare", { run, a: b, b: a }) }, "the other way round");
    const box = make("div", { class: "blocks" }, make("p", { class: "note" }, "Comparing."));
    main.replaceChildren(make("div", { class: "head" }, make("h1", {}, side(b), " against ", side(a)), turn),
      run ? make("p", { class: "facts" }, make("a", { href: link(run) }, run)) : "", box);
    const found = await ask("api/compare", { a, b, run });
    if (found.why_not) { box.replaceChildren(make("p", { class: "said bad", role: "alert" }, found.why_not)); return; }
    // The server made it of words that it wrote out, as it does for a report.
    box.innerHTML = found.html;
    enhance(box);
  };

  // ---- A benchmark over its runs ----------------------------------------------------------------------------------

  const historyPage = async name => {
    title([name, "#/"], ["history"]);
    const box = make("div", { class: "report" }, make("p", { class: "note" }, "Reading all its runs."));
    main.replaceChildren(make("div", { class: "head" }, make("h1", {}, `${name} over time`)), box);
    // Made of words that the server wrote out, as above.
    box.innerHTML = (await ask("api/history", { name })).html;
    enhance(box);
  };

  // ---- Where one is -----------------------------------------------------------------------------------------------

  const route = async () => {
    for (const end of leave) end();
    leave = [];
    const [path, search] = (location.hash.slice(1) || "/").split("?");
    const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
    main.replaceChildren(make("p", { class: "note" }, "Reading."));
    const mine = location.hash;
    try {
      if (parts[0] === "run" && parts[3] === "trial") await trialPage(parts[1], parts[2], parts[4]);
      else if (parts[0] === "run") await runPage(parts[1], parts[2]);
      else if (parts[0] === "history") await historyPage(parts[1]);
      else if (parts[0] === "compare") await comparePage(new URLSearchParams(search));
      else await runsPage();
    } catch (error) {
      if (mine === location.hash) main.replaceChildren(refused(error));
    }
    if (mine === location.hash) main.focus({ preventScroll: true });
  };
  addEventListener("hashchange", event => {
    // A place on the page is not another page.
    if (/#(?!\/)/.test(event.newURL) && !event.newURL.endsWith("#")) {
      history.replaceState(null, "", event.oldURL);
      return;
    }
    route();
  });
  addEventListener("click", event => {
    const link = event.target.closest?.('a[href^="#"]:not([href^="#/"])');
    if (!link) return;
    event.preventDefault();
    document.getElementById(link.getAttribute("href").slice(1))?.scrollIntoView();
  });
  route();
})();
