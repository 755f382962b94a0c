"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const { model, result, states, chain } = data;
const nodes = data.tree.nodes;
const costs = model.sense === "min";
const sign = costs ? -1 : 1;
const $ = (id) => document.getElementById(id);

// ---- words and numbers -------------------------------------------------------------------------------------------------
// What does not print as itself is shown by its code, so that no name can hide or turn text round.
const seen = (text) => String(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
const figure = (value) => {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(3).replace("e+", "e");
  return String(Number(value.toPrecision(6)));
};
const brief = (value) => figure(Number(value.toPrecision(3)));
const worth = (value) => (value === null || value === undefined ? "–" : figure(value === 0 ? 0 : sign * value));
const percent = (share) => {
  const p = 100 * share;
  if (p === 0) return "0 %";
  return p < 0.1 ? "<0.1 %" : `${p.toFixed(p < 10 ? 1 : 0)} %`;
};
const count = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
const actionName = (a) => seen(model.actions[a]);
const featureName = (f) => seen(model.features[f].name);
const question = (node) => {
  const feature = model.features[node.feature];
  if (feature.kind === "boolean" && node.threshold > 0 && node.threshold <= 1) return `${featureName(node.feature)} = 0?`;
  return `${featureName(node.feature)} < ${figure(node.threshold)}?`;
};
const PALETTE = ["#E69F00", "#56B4E9", "#009E73", "#F0E442", "#3D8FD1", "#D55E00", "#CC79A7", "#9AA0A6"];
const colour = (a) => PALETTE[a % PALETTE.length];
const letter = (a) => String.fromCharCode(65 + (a % 26)) + (a < 26 ? "" : Math.floor(a / 26) + 1);
const ARROWS = { up: "↑", down: "↓", left: "←", right: "→", north: "↑", south: "↓", west: "←", east: "→" };
const sign_of = (a) => ARROWS[model.actions[a].toLowerCase()] || letter(a);

// ---- making elements: text always as text nodes ------------------------------------------------------------------------
const SVG = "http://www.w3.org/2000/svg";
const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child.nodeType ? child : document.createTextNode(child));
  }
  return element;
};
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const sv = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const chip = (a) => el("span", { class: "chip", style: `background:${colour(a)};color:#000`, "aria-hidden": "true" }, sign_of(a));
const named = (a) => el("span", { class: "named" }, chip(a), actionName(a));
const put = (place, ...children) => place.replaceChildren(...children.flat(Infinity).filter((c) => c !== null));

const pen = document.createElement("canvas").getContext("2d");
const FONT = '"Segoe UI", Roboto, "Noto Sans", sans-serif';
const width = (text, size) => {
  pen.font = `${size}px system-ui, -apple-system, ${FONT}`;
  return pen.measureText(text).width;
};
// Lines no wider than `room`, broken behind a space or underscore where that helps; what does not fit ends in an ellipsis.
const wrap = (text, room, lines, size = 13) => {
  const out = [];
  let rest = text;
  while (rest && out.length < lines) {
    if (width(rest, size) <= room) { out.push(rest); rest = ""; break; }
    const last = out.length === lines - 1;
    let end = Math.min(rest.length, 400);
    while (end > 1 && width(rest.slice(0, end) + (last ? "…" : ""), size) > room) end -= 1;
    if (!last) {
      const cut = Math.max(rest.lastIndexOf(" ", end - 1), rest.lastIndexOf("_", end - 1)) + 1;
      if (cut > end * 0.4) end = cut;
    }
    out.push(rest.slice(0, end).trim() + (last ? "…" : ""));
    rest = rest.slice(end).trimStart();
  }
  return out;
};

// ---- header ------------------------------------------------------------------------------------------------------------
const header = () => {
  $("title").textContent = seen(data.title);
  $("status").textContent = `${result.status_text} (${result.method}, ${result.seconds.toFixed(1)} s)`;
  const marks = [["random", "random actions", result.random], ["tree", "this tree", result.value], ["bound", "bound for this size", result.bound],
    ["best", "best policy", result.optimum]].filter((mark) => mark[2] !== null);
  const values = marks.map((mark) => mark[2]);
  const low = Math.min(...values), high = Math.max(...values);
  const at = (value) => 2 + 96 * (high > low ? (value - low) / (high - low) : 1);
  const bars = marks.map(([id, label, value]) => el("div", { class: `figure ${id}` },
    el("span", { class: "label" }, label),
    el("span", { class: "track", "aria-hidden": "true" }, el("span", { class: "filled", style: `width:${at(value)}%` })),
    el("span", { class: "value" }, worth(value))));
  put($("scale"), el("div", { class: "figures", role: "group", "aria-label": costs ? "Expected costs; a longer bar is better" : "Expected returns" }, bars));
  $("verdict").textContent = verdict();
};
const verdict = () => {
  const parts = [];
  const ratio = result.value / result.optimum;
  if (costs) {
    parts.push(`An expected cost of ${worth(result.value)}`);
    if (result.optimum < 0 && result.value < 0 && ratio > 1) parts.push(`, ${brief(100 * (ratio - 1))} % more than the best policy`);
  } else {
    parts.push(`An expected return of ${worth(result.value)}`);
    if (result.optimum > 0 && result.value >= 0 && ratio <= 1) parts.push(`, ${(100 * ratio).toFixed(2)} % of the best policy's`);
  }
  const no_better = costs ? "costs less than" : "returns more than";
  parts.push(result.proved ? "; proved: no tree of this size is better." : `; no tree of this size ${no_better} ${worth(result.bound)} (gap ${brief(100 * result.gap)} %).`);
  const missing = nodes[0].missing;
  if (missing) parts.push(` In ${count(missing, "visited state", "visited states")} it asks for an action that is not available${nodes[0].missing_choice ? `; ${nodes[0].missing_choice} of them leave a choice` : ", but none of them leaves a choice"}.`);
  return parts.join("");
};

// ---- the tree ----------------------------------------------------------------------------------------------------------
const level = [];
for (const node of nodes) level[node.id] = node.parent === null ? 0 : level[node.parent] + 1;
const depth = Math.max(...level);
const folded = new Set(nodes.filter((n) => n.action === null && level[n.id] === 4).map((n) => n.id));
const children = (node) => (node.action !== null || folded.has(node.id) ? [] : [nodes[node.left], nodes[node.right]]);
const path_to = (id) => { const path = []; for (let n = id; n !== null; n = nodes[n].parent) path.unshift(n); return path; };
let selected = null, focus = 0, view = null, extent = null, drawn = new Map();

const SPLIT_HEIGHT = 54, LEAF_HEIGHT = 38, GAP = 40;
const place_nodes = (room) => {
  const place = new Map();
  const visible = Math.max(...[...walk()].map((n) => level[n.id]));
  if (room < 620) {  // an outline, for phones
    let y = 6;
    const go = (node) => {
      const x = 6 + 14 * level[node.id], height = node.action === null ? SPLIT_HEIGHT : LEAF_HEIGHT;
      place.set(node.id, { x, y, w: Math.max(190, room - x - 8), h: height });
      y += height + 8;
      children(node).forEach(go);
    };
    go(nodes[0]);
    return { place, outline: true, w: Math.max(room, 6 + 14 * visible + 198), h: y };
  }
  const w = Math.min(240, Math.max(150, (room - 12 - visible * GAP) / (visible + 1)));
  let next = 6;
  const go = (node) => {
    const below = children(node).map(go), height = node.action === null ? SPLIT_HEIGHT : LEAF_HEIGHT;
    let middle = next + height / 2;
    if (below.length) middle = (below[0] + below[1]) / 2;
    else next += height + 5;
    place.set(node.id, { x: 6 + level[node.id] * (w + GAP), y: middle - height / 2, w, h: height });
    return middle;
  };
  go(nodes[0]);
  return { place, outline: false, w: 12 + (visible + 1) * w + visible * GAP, h: Math.max(next, SPLIT_HEIGHT + 12) };
};
function* walk(node = nodes[0]) { yield node; for (const child of children(node)) yield* walk(child); }

const edge_width = (node) => 1.5 + 11 * node.share;
const draw_edge = (node, box, parent, outline) => {
  const shape = outline
    ? `M${parent.x + 8} ${parent.y + parent.h} V${box.y + box.h / 2} H${box.x}`
    : `M${parent.x + parent.w} ${parent.y + parent.h / 2} C${parent.x + parent.w + GAP / 2} ${parent.y + parent.h / 2} ${box.x - GAP / 2} ${box.y + box.h / 2} ${box.x} ${box.y + box.h / 2}`;
  return sv("path", { class: "edge", d: shape, "stroke-width": outline ? Math.min(5, edge_width(node)) : edge_width(node), "stroke-dasharray": node.share > 0 ? null : "3 3", "data-to": node.id });
};
const answer = (node) => (node.parent === null ? "" : nodes[node.parent].left === node.id ? "yes" : "no");
const spoken = (node) => {
  const facts = `${percent(node.share)} of visits, costs ${figure(node.cost)} against the best policy`;
  const way = answer(node) ? `${answer(node)}: ` : "";
  const lacking = node.missing ? `, in ${count(node.missing, "visited state", "visited states")} the action is not available` : "";
  return node.action === null ? `${way}split: ${question(node)} ${facts}` : `${way}leaf: ${actionName(node.action)}, ${facts}${lacking}`;
};
const draw_histogram = (node, x, y, w, h) => {
  const bars = node.histogram;
  if (!bars || !bars.length) return [];
  const totals = bars.map((bar) => Object.values(bar.by_action).reduce((a, b) => a + b, 0));
  const most = Math.max(...totals, 1e-300), step = w / bars.length, out = [];
  bars.forEach((bar, k) => {
    let top = y + h;
    for (const [a, share] of Object.entries(bar.by_action)) {
      const tall = (h * share) / most;
      top -= tall;
      out.push(sv("rect", { x: x + k * step + 0.5, y: top, width: Math.max(0.6, step - 1), height: tall, fill: colour(Number(a)) }));
    }
  });
  const left = x + step * bars.filter((bar) => bar.value < node.threshold).length;
  out.push(sv("line", { class: "mark", x1: left, x2: left, y1: y - 2, y2: y + h + 1 }));
  return out;
};
const draw_node = (node, box, outline) => {
  const leaf = node.action !== null, inside = box.w - 16, parts = [];
  const way = outline && answer(node) ? `${answer(node)}: ` : "";
  if (leaf) {
    const room = inside - 30 - (outline ? 30 : 0);
    const lines = wrap(actionName(node.action), room, 1);
    if (way) parts.push(sv("text", { class: "small", x: box.x + 8, y: box.y + 16 }, way.trim()));
    const left = box.x + 8 + (way ? 28 : 0);
    parts.push(sv("rect", { x: left, y: box.y + 4, width: 22, height: 15, rx: 3, fill: colour(node.action) }),
      sv("text", { x: left + 11, y: box.y + 15.5, "text-anchor": "middle", style: "fill:#000;font-weight:600;font-size:11px" }, sign_of(node.action)),
      lines.map((line, k) => sv("text", { x: left + 28, y: box.y + 16 + 15 * k }, line)));
    const facts = `${percent(node.share)} · loses ${brief(node.cost)}`;
    const lacking = node.missing ? ` ⚠ ${node.missing}` : "";
    const shown = wrap(facts, inside - width(lacking, 11) - 2, 1, 11)[0];
    parts.push(sv("text", { class: "small", x: box.x + 8, y: box.y + 32 }, shown, lacking ? sv("tspan", { class: node.missing_choice ? "warn" : null }, lacking) : null));
  } else {
    const lines = wrap(way + question(node), inside - (outline ? 24 : 0), 2);
    lines.forEach((line, k) => parts.push(sv("text", { x: box.x + 8, y: box.y + (lines.length > 1 ? 14 : 18) + 13 * k }, line)));
    const top = lines.length > 1 ? 32 : 25;
    parts.push(draw_histogram(node, box.x + 8, box.y + top, inside, box.h - top - 5));
  }
  const g = sv("g", {
    class: `node ${leaf ? "leaf" : "inner"}`, id: `node-${node.id}`, role: "treeitem", tabindex: node.id === focus ? 0 : -1, "aria-level": level[node.id] + 1,
    "aria-expanded": leaf ? null : String(!folded.has(node.id)), "aria-label": spoken(node), "aria-selected": "false",
    onclick: () => { focus = node.id; select({ node: node.id }); }, onfocus: () => { focus = node.id; },
  }, sv("rect", { class: "card", x: box.x, y: box.y, width: box.w, height: box.h, rx: 6 }), parts,
  sv("title", {}, leaf ? `${actionName(node.action)} (${seen(node.rule)})` : question(node)));
  if (!leaf && level[node.id] >= 4) {
    g.append(sv("g", { class: "fold", onclick: (event) => { event.stopPropagation(); fold(node.id); } },
      sv("rect", { x: box.x + box.w - 19, y: box.y + 5, width: 15, height: 15, rx: 3 }),
      sv("text", { x: box.x + box.w - 11.5, y: box.y + 17, "text-anchor": "middle" }, folded.has(node.id) ? "+" : "−")));
  }
  return g;
};
const fold = (id) => { folded.has(id) ? folded.delete(id) : folded.add(id); draw_tree(); };
const draw_tree = () => {
  const room = $("tree").clientWidth || 900;
  extent = place_nodes(room);
  const edges = [], labels = [], cards = [];
  for (const node of walk()) {
    const box = extent.place.get(node.id);
    if (node.parent !== null) {
      edges.push(draw_edge(node, box, extent.place.get(node.parent), extent.outline));
      if (!extent.outline) labels.push(sv("text", { class: "small", x: box.x - 5, y: box.y + box.h / 2 - edge_width(node) / 2 - 4, "text-anchor": "end" }, answer(node)));
    }
    cards.push(draw_node(node, box, extent.outline));
  }
  const svg = sv("svg", { role: "tree", "aria-label": "Decision tree", onkeydown: keys }, edges, labels, cards);
  drawn = new Map(cards.map((card) => [Number(card.id.slice(5)), card]));
  put($("tree"), svg);
  $("unfold").hidden = folded.size === 0;
  fit();
  pan(svg);
  light();
};
const fit = () => {
  const room = $("tree").clientWidth || 900;
  view = { x: 0, y: 0, w: Math.max(extent.w, room), h: extent.h };
  show_view(true);
};
const show_view = (resize) => {
  const svg = $("tree").firstChild, room = $("tree").clientWidth || 900;
  if (resize) {
    const most = extent.outline ? Infinity : Math.max(420, Math.min(extent.h, 0.82 * window.innerHeight));
    const tall = (extent.h * room) / view.w;
    svg.style.height = `${Math.min(tall, most)}px`;
    if (tall > most) { view.w = (view.w * tall) / most; view.x = -(view.w - extent.w) / 2; }
  }
  svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  svg.setAttribute("preserveAspectRatio", "xMinYMin meet");
};
const zoom = (factor) => {
  view = { x: view.x + (view.w * (1 - factor)) / 2, y: view.y + (view.h * (1 - factor)) / 2, w: view.w * factor, h: view.h * factor };
  show_view(false);
};
const pan = (svg) => {
  let from = null;
  svg.addEventListener("pointerdown", (e) => { if (e.pointerType === "mouse" && e.button === 0) from = { x: e.clientX, y: e.clientY, view: { ...view } }; });
  svg.addEventListener("pointermove", (e) => {
    if (!from) return;
    const scale = view.w / svg.clientWidth;
    view = { ...view, x: from.view.x - (e.clientX - from.x) * scale, y: from.view.y - (e.clientY - from.y) * scale };
    show_view(false);
  });
  for (const end of ["pointerup", "pointerleave"]) svg.addEventListener(end, () => { from = null; });
  svg.addEventListener("wheel", (e) => { if (e.ctrlKey || e.metaKey) { e.preventDefault(); zoom(e.deltaY > 0 ? 1.15 : 1 / 1.15); } }, { passive: false });
};
const keys = (event) => {
  const node = nodes[focus], below = children(node), same = [...walk()].filter((n) => level[n.id] === level[focus]).map((n) => n.id);
  const at = same.indexOf(focus);
  const to = { ArrowLeft: node.parent, ArrowRight: below.length ? below[0].id : null, ArrowUp: same[at - 1], ArrowDown: same[at + 1], Home: 0 }[event.key];
  if (event.key === "Enter" || event.key === " ") select({ node: focus });
  else if (event.key === "Escape") select(null);
  else if (event.key === "+" && folded.has(focus)) fold(focus);
  else if (to === undefined || to === null) return;
  else {
    drawn.get(focus).setAttribute("tabindex", -1);
    focus = to;
    drawn.get(focus).setAttribute("tabindex", 0);
    drawn.get(focus).focus();
  }
  event.preventDefault();
};

// ---- selection: a node or a state ---------------------------------------------------------------------------------------
const leaf_for = (features) => {
  let node = nodes[0];
  while (node.action === null) node = features[node.feature] < node.threshold ? nodes[node.left] : nodes[node.right];
  return node.id;
};
const select = (what) => { selected = what; light(); show_panel(); };
const light = () => {
  let path = [];
  if (selected && selected.node !== undefined) path = path_to(selected.node);
  else if (selected) path = path_to(leaf_for(selected.features || states.features[selected.state]));
  const lit = new Set(path);
  for (const [id, card] of drawn) { card.classList.toggle("lit", lit.has(id)); card.setAttribute("aria-selected", String(lit.has(id) && path[path.length - 1] === id)); }
  for (const edge of document.querySelectorAll("#tree .edge")) edge.classList.toggle("lit", lit.has(Number(edge.dataset.to)));
  for (const row of document.querySelectorAll("#differences tbody tr, #map .cell")) row.classList.toggle("lit", selected !== null && Number(row.dataset.state) === selected.state);
};
const facts = (pairs) => el("dl", {}, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
const show_panel = () => {
  const body = $("panel-body");
  if (selected === null) {
    $("panel-title").textContent = "The rules";
    put(body, el("ul", { class: "rules" }, data.rules.map((rule) => el("li", {}, seen(rule)))));
  } else if (selected.node !== undefined) show_node(nodes[selected.node], body);
  else show_state(selected, body);
  if (selected !== null) body.append(el("p", {}, el("button", { type: "button", onclick: () => select(null) }, "Back to the rules")));
};
const show_node = (node, body) => {
  const leaf = node.action !== null;
  put($("panel-title"), leaf ? named(node.action) : question(node));
  const total = node.best.reduce((sum, one) => sum + one.share, 0);
  put(body, facts([
    ["when", seen(node.rule)],
    ["states", `${count(node.states, "state", "states")}, ${node.reached.toLocaleString("en")} of them visited`],
    ["visits", `${percent(node.share)} of those to states that leave a choice`],
    ["loses", `${figure(node.cost)} of return against the best policy, in ${count(node.differs, "visited state", "visited states")}`],
    ...(node.missing ? [["not available", el("span", { class: "bad" }, `in ${count(node.missing, "visited state", "visited states")} there is no such action; ${node.missing_choice || "none"} of them ${node.missing_choice === 1 ? "leaves" : "leave"} a choice`)]] : []),
  ]),
  el("h3", {}, "What the best policy does there"),
  node.best.length ? [
    el("div", { class: "split", "aria-hidden": "true" }, node.best.map((one) => el("span", { style: `flex:${one.share / (total || 1)};background:${colour(one.action)}` }))),
    el("ul", { class: "rules" }, node.best.map((one) => el("li", {}, named(one.action), ` ${percent(one.share / (total || 1))}`))),
  ] : el("p", {}, "The tree never comes here."));
};
const show_state = (what, body) => {
  const row = what.state, features = what.features || states.features[row];
  const leaf = nodes[leaf_for(features)];
  put($("panel-title"), row === undefined ? "These values" : `State ${states.number[row]}`);
  const pairs = [["the tree does", named(leaf.action)], ["because", seen(leaf.rule)]];
  if (row !== undefined) {
    pairs.push(["the best policy", named(states.best[row])], [costs ? "cost from here" : "return from here", `${worth(states.value[row])} (best policy ${worth(states.optimal_value[row])})`],
      ["visits", figure(states.visits[row])], ["loses", `${figure(states.regret[row])} a visit, ${figure(states.regret[row] * states.visits[row])} in all`]);
    if (states.missing[row]) pairs.push(["not available", el("span", { class: "bad" }, "the state does not offer this action")]);
  } else pairs.push(["state", states.complete ? "no state of the model has these values" : "not among the states on this page"]);
  put(body, facts(pairs), row !== undefined && states.action_values ? [
    el("h3", {}, costs ? "Cost of each action, if the best policy follows" : "Worth of each action, if the best policy follows"),
    el("table", {}, el("tbody", {}, model.actions.map((_, a) => el("tr", {}, el("td", { class: "words" }, named(a), states.available[row][a] === "0" ? el("span", { class: "hint" }, " (not available)") : null),
      el("td", { class: "number" }, worth(states.action_values[row][a])))))),
  ] : null, el("h3", {}, "Features"), facts(model.features.map((feature, f) => [featureName(f), figure(features[f])])));
};

// ---- try it -------------------------------------------------------------------------------------------------------------
const key_of = (features) => features.join(",");
const row_of = new Map();
for (let row = states.number.length - 1; row >= 0; row -= 1) row_of.set(key_of(states.features[row]), row);
const asked = new Set(nodes.filter((n) => n.action === null).map((n) => n.feature));
let fields = [];
const try_form = () => {
  const first = states.features[0] || model.features.map((f) => f.min);
  const order = model.features.map((_, f) => f).sort((a, b) => asked.has(b) - asked.has(a) || a - b);
  const list = new Map(states.number.map((number, row) => [String(number), row]));
  const pick = el("input", { type: "number", id: "try-state", min: 0, placeholder: "number", onchange: () => {
    const row = list.get(pick.value);
    if (row === undefined) { $("try-answer").textContent = `State ${pick.value || "?"} is not on this page.`; return; }
    set_fields(states.features[row]);
    select({ state: row });
    say_answer(row);
  } });
  fields = model.features.map((feature, f) => {
    const attributes = { id: `try-${f}`, onchange: try_now, oninput: try_now };
    if (feature.values && feature.values.length <= 12) return el("select", attributes, feature.values.map((v) => el("option", { value: v, selected: v === first[f] }, figure(v))));
    return el("input", { ...attributes, type: "number", step: "any", value: first[f] });
  });
  put($("try-form"), el("div", {}, el("label", { for: "try-state" }, "a state by its number"), pick),
    order.map((f) => el("div", {}, el("label", { for: `try-${f}` }, featureName(f), asked.has(f) ? "" : " (not asked)"), fields[f])));
  $("try-form").addEventListener("submit", (event) => event.preventDefault());
};
const set_fields = (features) => features.forEach((value, f) => { fields[f].value = value; });
const try_now = () => {
  const features = fields.map((field) => (field.value === "" ? NaN : Number(field.value)));
  const unknown = features.findIndex((value) => Number.isNaN(value));
  if (unknown >= 0) { $("try-answer").textContent = `${featureName(unknown)} needs a number.`; return; }
  const row = row_of.get(key_of(features));
  select(row === undefined ? { features } : { state: row, features });
  say_answer(row, features);
};
const say_answer = (row, features) => {
  const leaf = nodes[leaf_for(features || states.features[row])];
  put($("try-answer"), "The tree does: ", named(leaf.action));
};

// ---- play ---------------------------------------------------------------------------------------------------------------
const episode = { row: null, time: 0, total: 0, seed: 1, ended: false, timer: null };
const draw = () => {  // a small generator, so that an episode can be had again
  episode.seed = (Math.imul(episode.seed, 1664525) + 1013904223) >>> 0;
  return episode.seed / 4294967296;
};
const pick_row = (pairs) => {
  let rest = draw();
  for (const [row, p] of pairs) { rest -= p; if (rest < 0) return row; }
  return null;
};
const play_setup = () => {
  if (chain.reason) {
    for (const id of ["play-step", "play-run", "play-reset"]) $(id).disabled = true;
    $("play-now").textContent = `Not on this page: ${chain.reason}. spotree simulate plays it.`;
    return;
  }
  $("play-step").addEventListener("click", () => { stop_run(); play_step(); });
  $("play-run").addEventListener("click", () => (episode.timer ? stop_run() : start_run()));
  $("play-reset").addEventListener("click", () => { stop_run(); play_reset(); });
  play_reset();
};
const play_reset = () => {
  Object.assign(episode, { row: null, time: 0, total: 0, ended: false });
  let row = null;
  while (row === null) row = pick_row(chain.initial);  // rounding may leave a hair behind the last
  episode.row = row;
  put($("play-log"));
  say_play();
};
const where = (row) => {
  const used = model.features.map((_, f) => f).filter((f) => model.features.length <= 6 || asked.has(f));
  return `${used.map((f) => `${featureName(f)} = ${figure(states.features[row][f])}`).join(", ") || "any"}`;
};
const say_play = () => {
  const total = `${costs ? "cost" : "return"} so far ${worth(episode.total)}`;
  put($("play-now"), episode.ended ? `The episode ended after ${count(episode.time, "step", "steps")}; ${total}.` : [`State ${states.number[episode.row]}; ${total}. Next: `, named(states.action[episode.row])]);
  $("play-step").disabled = episode.ended;
};
const play_step = () => {
  if (episode.ended) return;
  const row = episode.row, reward = chain.rewards[row] || 0;
  episode.total += model.discount ** episode.time * reward;
  episode.time += 1;
  $("play-log").append(el("li", {}, `state ${states.number[row]} (${where(row)}): `, named(states.action[row]), reward === 0 ? "" : `, ${costs ? "cost" : "reward"} ${worth(reward)}`));
  $("play-log").scrollTop = $("play-log").scrollHeight;
  const next = pick_row(chain.steps[row] || []);
  if (next === null) episode.ended = true;
  else episode.row = next;
  select({ state: row });
  say_play();
};
const start_run = () => {
  $("play-run").textContent = "Stop";
  episode.timer = setInterval(() => { play_step(); if (episode.ended || episode.time >= 500) stop_run(); }, 120);
};
const stop_run = () => { clearInterval(episode.timer); episode.timer = null; $("play-run").textContent = "Run"; };

// ---- where it differs ---------------------------------------------------------------------------------------------------
let order_by = { column: "cost", down: true };
const differences = () => {
  const place = $("differences-body");
  if (!data.differences.length) { put(place, el("p", {}, "Nowhere: in every state that it visits the tree does as well as the best policy.")); return; }
  const loss = result.optimum - result.value;
  const rows = data.differences.map((row) => ({ row, number: states.number[row], visits: states.visits[row], regret: states.regret[row], cost: states.visits[row] * states.regret[row] }));
  rows.sort((a, b) => (order_by.down ? b[order_by.column] - a[order_by.column] : a[order_by.column] - b[order_by.column]));
  const head = (column, text) => el("th", { class: column ? "number" : null, scope: "col", "aria-sort": order_by.column === column ? (order_by.down ? "descending" : "ascending") : null },
    column ? el("button", { type: "button", onclick: () => { order_by = { column, down: order_by.column === column ? !order_by.down : true }; differences(); } }, text, order_by.column === column ? (order_by.down ? " ▾" : " ▴") : "") : text);
  put(place, el("p", {}, `In ${count(data.num_differences, "visited state", "visited states")} the tree loses something; together ${figure(loss)}`, data.differences.length < data.num_differences ? `. The ${data.differences.length} most costly are listed.` : "."),
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head("number", "state"), head(null, "where"), head(null, "the tree does"), head(null, "the best policy does"), head("visits", "visits"), head("regret", "loses a visit"), head("cost", "loses in all"), el("th", { class: "number", scope: "col" }, "share"))),
      el("tbody", {}, rows.map((one) => el("tr", { tabindex: 0, "data-state": one.row, onclick: () => select({ state: one.row }), onkeydown: (e) => { if (e.key === "Enter") select({ state: one.row }); } },
        el("td", { class: "number" }, one.number), el("td", { class: "words" }, where(one.row)), el("td", { class: "does" }, named(states.action[one.row])), el("td", { class: "does" }, named(states.best[one.row])),
        el("td", { class: "number" }, figure(one.visits)), el("td", { class: "number" }, figure(one.regret)), el("td", { class: "number" }, figure(one.cost)), el("td", { class: "number" }, loss > 0 ? percent(one.cost / loss) : "–")))))));
  light();
};

// ---- the map ------------------------------------------------------------------------------------------------------------
const map = () => {
  const grid = data.grid;
  if (!grid) return;
  $("map").hidden = false;
  const worlds = new Map();
  states.features.forEach((features, row) => {
    const others = grid.others.map((f) => features[f]), key = key_of(others);
    if (!worlds.has(key)) worlds.set(key, { others, rows: [] });
    worlds.get(key).rows.push(row);
  });
  const all = [...worlds.values()].filter((world) => world.rows.length > 1).sort((a, b) => { for (let k = 0; k < a.others.length; k += 1) if (a.others[k] !== b.others[k]) return a.others[k] - b.others[k]; return 0; });
  if (!all.length) return;
  const places = all.flatMap((world) => world.rows), span = (f) => { const v = places.map((row) => states.features[row][f]); return [Math.min(...v), Math.max(...v)]; };
  const [left0, right0] = span(grid.x), [low0, high0] = span(grid.y);
  const across = right0 - left0 + 1, down = high0 - low0 + 1;
  const side = Math.max(22, Math.min(52, Math.floor(640 / across)));
  const picture = el("div", {});
  const show = (number) => {
    const world = all[number];
    const cells = world.rows.map((row) => {
      const [x, y] = [states.features[row][grid.x] - left0, states.features[row][grid.y] - low0];
      const left = 24 + x * side, top = (grid.up ? down - 1 - y : y) * side;
      const differs = states.regret[row] > 1e-9 * Math.max(1, Math.abs(states.optimal_value[row])) && states.visits[row] > 0;
      return sv("g", { class: "cell", "data-state": row, tabindex: 0, role: "button", "aria-label": `${where(row)}: ${actionName(states.action[row])}${differs ? `, the best policy does ${actionName(states.best[row])}` : ""}`,
        onclick: () => select({ state: row }), onkeydown: (e) => { if (e.key === "Enter") select({ state: row }); } },
      sv("rect", { class: "card", x: left + 1, y: top + 1, width: side - 2, height: side - 2, rx: 4 }),
      sv("rect", { x: left + 3, y: top + 3, width: side - 6, height: side - 6, rx: 3, fill: colour(states.action[row]), opacity: states.visits[row] > 0 ? 0.95 : 0.28 }),
      sv("text", { x: left + side / 2, y: top + side / 2 + 5, "text-anchor": "middle", style: states.visits[row] > 0 ? "fill:#000;font-weight:600" : null }, sign_of(states.action[row])),
      differs ? sv("path", { d: `M${left + side - 3} ${top + 3} v${side / 3} l${-side / 3} ${-side / 3} z`, fill: "var(--accent)" }) : null,
      sv("title", {}, `${where(row)}: ${actionName(states.action[row])}`));
    });
    const labels = [];
    for (let x = 0; x < across; x += 1) labels.push(sv("text", { class: "small", x: 24 + (x + 0.5) * side, y: down * side + 13, "text-anchor": "middle" }, String(left0 + x)));
    for (let y = 0; y < down; y += 1) labels.push(sv("text", { class: "small", x: 18, y: (grid.up ? down - 0.5 - y : y + 0.5) * side + 4, "text-anchor": "end" }, String(low0 + y)));
    put(picture, sv("svg", { width: 28 + across * side, height: down * side + 18, viewBox: `0 0 ${28 + across * side} ${down * side + 18}`, role: "group", "aria-label": "Map of the policy" }, cells, labels));
    caption.textContent = grid.others.length ? grid.others.map((f, k) => `${featureName(f)} = ${figure(world.others[k])}`).join(", ") : "";
    light();
  };
  const caption = el("p", { role: "status" });
  const slider = all.length > 1 ? el("input", { type: "range", min: 0, max: all.length - 1, value: 0, id: "map-slider", "aria-label": "Values of the other features", style: "width:min(320px,100%)", oninput: () => show(Number(slider.value)) }) : null;
  put($("map-body"), picture, el("div", { style: "flex:1 1 220px;min-width:0" }, el("p", { class: "hint" }, `Across: ${featureName(grid.x)}, ${grid.up ? "upwards" : "downwards"}: ${featureName(grid.y)}. Pale: never visited. A corner marks a visited state where the best policy does better.`),
    slider, caption));
  const most = all.map((world) => world.rows.reduce((sum, row) => sum + states.visits[row], 0));
  const begin = most.indexOf(Math.max(...most));
  if (slider) slider.value = begin;
  show(begin);
};

// ---- history, frontier, set-up ------------------------------------------------------------------------------------------
const lines = (points, across, series, unit) => {
  const W = Math.min(560, $("history").clientWidth - 30), H = 210, left = 74, bottom = 34, top = 12;
  const xs = points.map((p) => p[across]), ys = points.flatMap((p) => series.map(([name]) => p[name])).filter((v) => v !== null).map((v) => sign * v);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)], [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  const px = (x) => left + ((W - left - 14) * (x - x0)) / (x1 - x0 || 1), py = (y) => top + ((H - top - bottom) * (y1 - y)) / (y1 - y0 || 1);
  return sv("svg", { viewBox: `0 0 ${W} ${H}`, style: `max-width:${W}px`, width: "100%", role: "img", "aria-label": series.map(([, text]) => text).join(" and ") },
    sv("path", { class: "axis", d: `M${left} ${top} V${H - bottom} H${W - 14}` }),
    [y0, y1].filter((y, k) => k === 0 || y !== y0).map((y) => sv("text", { class: "small", x: left - 6, y: py(y) + 4, "text-anchor": "end" }, figure(y))),
    [x0, x1].filter((x, k) => k === 0 || x !== x0).map((x, k) => sv("text", { class: "small", x: px(x), y: H - bottom + 15, "text-anchor": k ? "end" : "start" }, `${figure(x)}${unit}`)),
    series.map(([name, , style]) => sv("path", { class: style, d: points.filter((p) => p[name] !== null).map((p, k, kept) => `${k === 0 ? "M" : `H${px(p[across])} V`}${k === 0 ? `${px(p[across])} ${py(sign * p[name])}` : py(sign * p[name])}${kept.length === 1 ? "h6" : ""}`).join(" ") })));
};
const history = () => {
  const place = $("history-body");
  const points = data.history.filter((p) => p.value !== null);
  const parts = [];
  if (points.length) {
    const end = { seconds: result.seconds, value: result.value, bound: result.bound };
    parts.push(el("p", {}, el("span", { class: "good" }, "— this tree"), "  ", el("span", { class: "bad" }, "- - bound"), ` over time; the last better tree came after ${figure(points[points.length - 1].seconds)} s.`),
      lines([...points, end], "seconds", [["value", "value", "value-line"], ["bound", "bound", "bound-line"]], " s"));
  } else parts.push(el("p", {}, `${result.method}, ${result.seconds.toFixed(1)} s; the run kept no record of its steps.`));
  if (data.frontier) parts.push(el("h3", {}, "Value against number of leaves"), lines(data.frontier, "leaves", [["value", "value", "value-line"]], " leaves"));
  put(place, parts);
};
const legend = () => {
  const used = new Set(nodes.filter((n) => n.action !== null).map((n) => n.action));
  for (const node of nodes) for (const one of node.best) used.add(one.action);
  put($("legend"), [...used].sort((a, b) => a - b).map((a) => el("li", {}, named(a))));
};

header();
draw_tree();
legend();
show_panel();
try_form();
play_setup();
map();
differences();
history();
put($("setup-body"), data.setup.map(([name, text]) => [el("dt", {}, seen(name)), el("dd", {}, seen(text))]));
$("zoom-in").addEventListener("click", () => zoom(1 / 1.25));
$("zoom-out").addEventListener("click", () => zoom(1.25));
$("fit").addEventListener("click", () => fit());
$("unfold").addEventListener("click", () => { folded.clear(); draw_tree(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && selected !== null) select(null); });
let last = window.innerWidth;
window.addEventListener("resize", () => { if (window.innerWidth !== last) { last = window.innerWidth; draw_tree(); } });
document.documentElement.dataset.ready = "yes";
})();
