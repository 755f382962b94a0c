"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const { model, result, states, chain } = data;
const nodes = data.tree.nodes;
const costs = model.sense === "min";
const sign = costs ? -1 : 1;
const $ = (id) => document.getElementById(id);

// ---- words and numbers -------------------------------------------------------------------------------------------------
// What does not print as itself is shown by its code, so that no name can hide or turn text round; words that run from right to
// left are set apart, or they would turn the `<` behind them.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc](?:[\s\p{M}_]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc])*/gu;
const seen = (text) => String(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`)
  .replace(RIGHT_TO_LEFT, "\u2068$&\u2069");
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
const amount = (n) => n.toLocaleString("en");
const count = (n, one, many) => `${amount(n)} ${n === 1 ? one : many}`;
const visited = (n) => count(n, "visited state", "visited states");
const actionName = (a) => seen(model.actions[a]);
const featureName = (f) => seen(model.features[f].name);
const question = (node) => `${featureName(node.feature)} < ${figure(node.threshold)}?`;

// ---- actions: a colour that colour-blind readers can tell apart, and a letter or an arrow -------------------------------------
const PALETTE = ["#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#7D5BC4", "#8C6A45", "#B5D66B"];
const DARK = new Set(["#0072B2", "#7D5BC4", "#8C6A45"]);  // these carry white letters
const GREY = "#A9AFB7";  // for actions beyond the palette, the rarest
const rank = new Map();
const rank_actions = () => {
  const use = model.actions.map(() => 0);
  for (const node of nodes) {
    if (node.action !== null) use[node.action] += 1 + node.share;  // those of the tree first
    for (const one of node.best) use[one.action] += one.share / nodes.length;
  }
  const order = model.actions.map((_, a) => a);
  if (order.length > PALETTE.length) order.sort((a, b) => use[b] - use[a] || a - b);
  order.forEach((a, k) => rank.set(a, k));
};
rank_actions();
const colour = (a) => PALETTE[rank.get(a)] || GREY;
const ink_on = (a) => (DARK.has(colour(a)) ? "#fff" : "#000");
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
const chip = (a) => el("span", { class: "chip", style: `background:${colour(a)};color:${ink_on(a)}`, "aria-hidden": "true" }, sign_of(a));
const broken = (text) => text.split(/(?<=_)/u).flatMap((part, k) => (k ? [el("wbr"), part] : [part]));  // may break behind `_`
const named = (a) => el("span", { class: "named" }, chip(a), el("span", {}, broken(actionName(a))));
const put = (place, ...children) => place.replaceChildren(...children.flat(Infinity).filter((c) => c !== null));

const pen = document.createElement("canvas").getContext("2d");
const FONT = '"Segoe UI", Roboto, "Noto Sans", sans-serif';
const width = (text, size, weight = 400) => {
  pen.font = `${weight} ${size}px system-ui, -apple-system, ${FONT}`;
  return pen.measureText(text).width;
};
// Lines no wider than `room`, broken behind a space or underscore where that helps; what does not fit ends in an ellipsis.
const wrap = (text, room, lines, size = 13) => {
  const out = [];
  let rest = [...text];  // by signs: none is cut in two
  const head = (end) => rest.slice(0, end).join("");
  while (rest.length && out.length < lines) {
    if (width(head(), size) <= room) { out.push(head()); break; }
    const dots = out.length === lines - 1 ? "…" : "";
    let end = Math.min(rest.length, 120);
    while (end > 1 && width(head(end) + dots, size) > room) end -= 1;
    if (!dots) {
      const cut = Math.max(rest.lastIndexOf(" ", end - 1), rest.lastIndexOf("_", end - 1)) + 1;
      if (cut > end * 0.4) end = cut;
    }
    out.push(head(end).trim() + dots);
    rest = rest.slice(end);
    while (rest[0] === " ") rest.shift();
  }
  return out;
};

// ---- header ------------------------------------------------------------------------------------------------------------
const header = () => {
  $("title").textContent = $("title").title = seen(data.title);
  $("status").textContent = `${result.status_text} (${result.method}, ${result.seconds.toFixed(1)} s)`;
  const marks = [["random", "random actions", result.random], ["tree", "this tree", result.value], ["bound", result.trusted === null ? "bound for this size" : "bound, on trust", result.bound],
    ["best", "best policy", result.optimum]].filter((mark) => mark[2] !== null);
  const values = marks.map((mark) => mark[2]);
  const low = Math.min(...values), high = Math.max(...values);
  const at = (value) => 2 + 96 * (high > low ? (value - low) / (high - low) : 1);
  const bars = marks.map(([id, label, value]) => el("div", { class: `figure ${id}` },
    el("span", { class: "label" }, label),
    el("span", { class: "track", "aria-hidden": "true" }, el("span", { class: "filled", style: `width:${at(value)}%` })),
    el("span", { class: "value" }, worth(value))));
  put($("scale"), el("p", { class: "hint" }, `Expected ${costs ? "cost" : "return"}; a longer bar is better. The bars begin at the worst of the figures, not at 0.`),
    el("div", { class: "figures", role: "group", "aria-label": costs ? "Expected costs" : "Expected returns" }, bars));
  $("verdict").textContent = verdict();
};
const verdict = () => {
  const { missing, missing_choice } = nodes[0];
  const which = missing_choice ? `; ${amount(missing_choice)} of them ${missing_choice === 1 ? "leaves" : "leave"} a choice` : ", but none of them leaves a choice";
  return result.verdict + (missing ? ` In ${visited(missing)} it asks for an action that is not available${which}.` : "");
};

// ---- the tree ----------------------------------------------------------------------------------------------------------
const level = [];
for (const node of nodes) level[node.id] = node.parent === null ? 0 : level[node.parent] + 1;
const depth = Math.max(...level);
const FOLDED = 4;  // deeper levels open on demand
const folded = new Set(nodes.filter((n) => n.action === null && level[n.id] === FOLDED).map((n) => n.id));
const children = (node) => (node.action !== null || folded.has(node.id) ? [] : [nodes[node.left], nodes[node.right]]);
const path_to = (id) => { const path = []; for (let n = id; n !== null; n = nodes[n].parent) path.unshift(n); return path; };
let selected = null, focus = 0, view = null, extent = null, drawn = new Map();

const SPLIT_HEIGHT = 54, LEAF_HEIGHT = 38, GAP = 36;
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
  return sv("path", { class: "edge", d: shape, "stroke-width": outline ? Math.min(5, edge_width(node)) : edge_width(node), "stroke-dasharray": node.reached ? null : "3 3", "data-to": node.id });
};
const answer = (node) => (node.parent === null ? "" : nodes[node.parent].left === node.id ? "yes" : "no");
const spoken = (node) => {
  const facts = `${percent(node.share)} of visits, loses ${figure(node.loss)} against the best policy`;
  const way = answer(node) ? `${answer(node)}: ` : "";
  const lacking = node.missing ? `, in ${count(node.missing, "visited state", "visited states")} the action is not available` : "";
  return node.action === null ? `${way}split: ${question(node)} ${facts}` : `${way}leaf: ${actionName(node.action)}, ${facts}${lacking}`;
};
const draw_histogram = (node, x, y, w, h) => {
  const bars = node.histogram;
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
    const lacking = node.missing ? `⚠ ${amount(node.missing)}` : "", aside = lacking ? width(lacking, 11, 600) + 4 : 0;
    const room = inside - 28 - (outline ? 30 : 0), above = width(actionName(node.action), 13) <= room - aside;  // beside the name, if that fits
    const lines = wrap(actionName(node.action), room, 1);
    if (way) parts.push(sv("text", { class: "small", x: box.x + 8, y: box.y + 16 }, way.trim()));
    const left = box.x + 8 + (way ? 28 : 0);
    parts.push(sv("rect", { x: left, y: box.y + 4, width: 22, height: 15, rx: 3, fill: colour(node.action) }),
      sv("text", { x: left + 11, y: box.y + 15.5, "text-anchor": "middle", style: `fill:${ink_on(node.action)};font-weight:600;font-size:11px` }, sign_of(node.action)),
      lines.map((line, k) => sv("text", { x: left + 28, y: box.y + 16 + 15 * k }, line)));
    if (lacking) parts.push(sv("text", { class: `small${node.missing_choice ? " warn" : ""}`, x: box.x + box.w - 8, y: box.y + (above ? 16 : 32), "text-anchor": "end" }, lacking));
    const share = node.reached ? percent(node.share) : "never visited", loss = node.loss > 0 ? ` · loses ${brief(node.loss)}` : "";
    const of = node.reached ? " of visits" : "", fits = (text) => width(text, 11) <= inside - (above ? 0 : aside);
    const shown = [share + of + loss, share + loss, share + of, share].find(fits) || "";  // a figure is never cut
    parts.push(sv("text", { class: "small", x: box.x + 8, y: box.y + 32 }, shown));
  } else {
    const lines = wrap(way + question(node), inside - (level[node.id] >= FOLDED ? 18 : 0), 2);
    lines.forEach((line, k) => parts.push(sv("text", { x: box.x + 8, y: box.y + (lines.length > 1 ? 14 : 18) + 13 * k }, line)));
    const top = lines.length > 1 ? 32 : 25;
    if (node.histogram) parts.push(draw_histogram(node, box.x + 8, box.y + top, inside, box.h - top - 5));
    else parts.push(sv("text", { class: "small", x: box.x + 8, y: box.y + 45 }, "never visited"));
  }
  const g = sv("g", {
    class: `node ${leaf ? "leaf" : "inner"}`, id: `node-${node.id}`, role: "treeitem", tabindex: node.id === focus ? 0 : -1, "aria-level": level[node.id] + 1,
    "aria-expanded": leaf ? null : String(!folded.has(node.id)), "aria-label": spoken(node), "aria-selected": "false",
    onclick: () => { focus = node.id; select({ node: node.id }); }, onfocus: () => { focus = node.id; },
  }, sv("rect", { class: "card", x: box.x, y: box.y, width: box.w, height: box.h, rx: 6 }), parts,
  sv("title", {}, leaf ? `${actionName(node.action)} (${seen(node.rule)})` : question(node)));
  if (!leaf && level[node.id] >= FOLDED) {
    g.append(sv("g", { class: "fold", onclick: (event) => { event.stopPropagation(); fold(node.id); } },
      sv("rect", { x: box.x + box.w - 19, y: box.y + 5, width: 15, height: 15, rx: 3 }),
      sv("text", { x: box.x + box.w - 11.5, y: box.y + 17, "text-anchor": "middle" }, folded.has(node.id) ? "+" : "−")));
  }
  return g;
};
const fold = (id) => {
  if (folded.has(id)) folded.delete(id);
  else folded.add(id);
  focus = id;
  draw_tree();
  drawn.get(id).focus({ preventScroll: true });
};
const SMALLEST = 0.8;  // a tree is made no smaller than this to be seen whole; a larger one scrolls
let scale = 1;
const draw_tree = () => {
  const room = $("tree").clientWidth || 900, tall = Math.max(420, 0.78 * window.innerHeight);
  extent = place_nodes(room);
  scale = extent.outline ? 1 : Math.min(1, Math.max(SMALLEST, Math.min(room / extent.w, tall / extent.h)));
  if (scale < 1) extent = place_nodes(room / scale);
  const edges = [], labels = [], cards = [];
  for (const node of walk()) {
    const box = extent.place.get(node.id);
    if (node.parent !== null) {
      edges.push(draw_edge(node, box, extent.place.get(node.parent), extent.outline));
      const half = edge_width(node) / 2, beside = answer(node) === "yes" ? -4 - half : 12 + half;  // off the line, which comes from the middle
      if (!extent.outline) labels.push(sv("text", { class: "small", x: box.x - 5, y: box.y + box.h / 2 + beside, "text-anchor": "end" }, answer(node)));
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
  const room = $("tree").clientWidth || 900, svg = $("tree").firstChild;
  view = { x: 0, y: 0, w: Math.max(extent.w, room / scale), h: extent.h };
  svg.style.width = `${view.w * scale}px`;
  svg.style.height = `${view.h * scale}px`;
  show_view();
};
const show_view = () => $("tree").firstChild.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
const zoom = (factor) => {
  view = { x: view.x + (view.w * (1 - factor)) / 2, y: view.y + (view.h * (1 - factor)) / 2, w: view.w * factor, h: view.h * factor };
  show_view();
};
const pan = (svg) => {
  let from = null;
  svg.addEventListener("pointerdown", (e) => { if (e.pointerType === "mouse" && e.button === 0) from = { x: e.clientX, y: e.clientY, view: { ...view } }; });
  svg.addEventListener("pointermove", (e) => {
    if (!from) return;
    const unit = view.w / svg.clientWidth;
    view = { ...view, x: from.view.x - (e.clientX - from.x) * unit, y: from.view.y - (e.clientY - from.y) * unit };
    show_view();
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
  else if (event.key === "ArrowRight" && folded.has(focus)) fold(focus);
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
const leaf_of = states.features.map(leaf_for);
const selected_path = () => {
  if (selected === null) return [];
  return path_to(selected.node !== undefined ? selected.node : leaf_for(selected.features || states.features[selected.state]));
};
const select = (what, unfold = true) => {
  selected = what;
  const hiding = selected_path().slice(0, -1).filter((id) => folded.has(id));
  if (unfold && hiding.length) { hiding.forEach((id) => folded.delete(id)); draw_tree(); } else light();
  show_panel();
  show_chosen();
};
const light = () => {
  const path = selected_path(), lit = new Set(path);
  for (const [id, card] of drawn) { card.classList.toggle("lit", lit.has(id)); card.setAttribute("aria-selected", String(lit.has(id) && path[path.length - 1] === id)); }
  for (const edge of document.querySelectorAll("#tree .edge")) edge.classList.toggle("lit", lit.has(Number(edge.dataset.to)));
  for (const row of document.querySelectorAll("#differences tbody tr, #map .cell")) row.classList.toggle("lit", selected !== null && Number(row.dataset.state) === selected.state);
};
const facts = (pairs) => el("dl", {}, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
const link = (text, what) => el("button", { type: "button", class: "link", onclick: () => select(what) }, text);
const leaves = (node = nodes[0]) => (node.action !== null ? [node] : [...leaves(nodes[node.left]), ...leaves(nodes[node.right])]);
const most_visited = `the ${amount(states.number.length)} most visited of ${amount(states.total)}`;
const on_this_page = () => (states.complete ? null
  : el("p", { class: "hint" }, `Single states: ${most_visited} are on this page; all other figures count every state.`));
// One line at the foot of the window while what is selected is out of sight.
const in_sight = new Map([["tree", true], ["panel", true]]);
const show_chosen = () => {
  const place = $("chosen");
  place.hidden = selected === null || in_sight.get("panel") || (in_sight.get("tree") && !extent.outline);
  if (place.hidden) return;
  const node = selected.node === undefined ? nodes[leaf_for(selected.features || states.features[selected.state])] : nodes[selected.node];
  const what = selected.node !== undefined ? (node.action === null ? "Split" : "Leaf") : selected.state === undefined ? "These values" : `State ${states.number[selected.state]}`;
  put(place, el("span", { class: "words" }, `${what}: `, node.action === null ? question(node) : named(node.action), ` (${seen(node.rule)})`),
    el("button", { type: "button", onclick: () => $(extent.outline ? "panel" : "tree-section").scrollIntoView() }, "Show"),
    el("button", { type: "button", "aria-label": "Clear the selection", onclick: () => select(null) }, "×"));
};
const watch = () => {
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) in_sight.set(entry.target.id, entry.isIntersecting);
    show_chosen();
  }, { threshold: 0.15 });
  for (const id of in_sight.keys()) observer.observe($(id));
};
const MOST_STATES = 12;  // of a node that are listed
const states_of = (node) => {
  const below = new Set(leaves(node).map((leaf) => leaf.id));
  const rows = leaf_of.flatMap((leaf, row) => (below.has(leaf) && states.visits[row] > 0 ? [row] : []));
  if (!rows.length) return null;
  const more = node.reached - Math.min(rows.length, MOST_STATES);
  return [el("h3", {}, "Its states, most visited first"),
    el("ul", { class: "rules states" }, rows.slice(0, MOST_STATES).map((row) => el("li", {}, link(`state ${states.number[row]}`, { state: row }), ` ${where(row)}`))),
    more > 0 ? el("p", { class: "hint" }, `and ${count(more, "more visited state", "more visited states")}`) : null, on_this_page()];
};
const show_panel = () => {
  const body = $("panel-body");
  if (selected === null) {
    $("panel-title").textContent = "The rules";
    const rule = (leaf) => el("button", { type: "button", class: "rule", "data-leaf": leaf.id, onclick: () => select({ node: leaf.id }) },
      leaf.parent === null ? "Always" : `If ${seen(leaf.rule)}`, ": ", named(leaf.action));
    put(body, el("ul", { class: "plain" }, leaves().map((leaf) => el("li", {}, rule(leaf)))), on_this_page());
  } else if (selected.node !== undefined) show_node(nodes[selected.node], body);
  else show_state(selected, body);
  if (selected !== null) body.prepend(el("p", { class: "back" }, link("All rules", null)));
  $("panel").scrollTop = 0;
};
const show_node = (node, body) => {
  const leaf = node.action !== null;
  put($("panel-title"), leaf ? named(node.action) : question(node));
  const lacking = `${node.missing_choice || "none"} of them ${node.missing_choice > 1 ? "leave" : "leaves"}`;
  const total = node.best.reduce((sum, one) => sum + one.share, 0);
  put(body, facts([
    ["when", seen(node.rule)],
    ["states", `${count(node.states, "state", "states")}, ${amount(node.reached)} of them visited`],
    ["visits", `${percent(node.share)} of those to states that leave a choice`],
    ["loses", node.differs ? `${figure(node.loss)} ${costs ? "more cost than" : "of return against"} the best policy, in ${visited(node.differs)}` : "nothing against the best policy"],
    ...(node.missing ? [["not available", el("span", { class: "bad" }, `in ${visited(node.missing)}; ${lacking} a choice`)]] : []),
  ]),
  el("h3", {}, "What the best policy does there"),
  node.best.length ? [
    el("div", { class: "split", "aria-hidden": "true" }, node.best.map((one) => el("span", { style: `flex:${one.share / (total || 1)};background:${colour(one.action)}` }))),
    el("ul", { class: "rules" }, node.best.map((one) => el("li", {}, named(one.action), ` ${percent(one.share / (total || 1))}`))),
  ] : el("p", {}, node.reached ? "The states that the tree visits here leave no choice." : "The tree never comes here."), states_of(node));
};
const show_state = (what, body) => {
  const row = what.state, features = what.features || states.features[row];
  const leaf = nodes[leaf_for(features)];
  put($("panel-title"), row === undefined ? "These values" : `State ${states.number[row]}`);
  const pairs = [["the tree does", named(leaf.action)], ["because", link(seen(leaf.rule), { node: leaf.id })]];
  if (row !== undefined) {
    pairs.push(["the best policy", named(states.best[row])], [costs ? "cost from here" : "return from here", `${worth(states.value[row])} (best policy ${worth(states.optimal_value[row])})`],
      ["visits", figure(states.visits[row])], ["loses", states.regret[row] > 0 ? `${figure(states.regret[row])} a visit, ${figure(states.regret[row] * states.visits[row])} in all` : "nothing"]);
    if (states.missing[row]) pairs.push(["not available", el("span", { class: "bad" }, "the state does not offer this action")]);
  } else pairs.push(["state", states.complete ? "no state of the model has these values" : "not among the states on this page"]);
  put(body, facts(pairs), row !== undefined && states.action_values ? [
    el("h3", {}, costs ? "Cost of each action, if the best policy follows" : "Worth of each action, if the best policy follows"),
    el("table", {}, el("tbody", {}, model.actions.map((_, a) => el("tr", {},
      el("td", { class: "words" }, named(a), states.available[row][a] === "0" ? el("span", { class: "hint" }, " (not available)") : null),
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
  const list = new Map(states.number.map((number, row) => [String(number), row]));
  const pick = el("input", { type: "number", id: "try-state", inputmode: "numeric", min: 0, placeholder: "number", onchange: () => {
    const row = list.get(pick.value);
    if (row === undefined) {
      $("try-answer").textContent = `State ${pick.value || "?"} is not on this page${states.complete ? "" : `, which has ${most_visited}`}.`;
      return;
    }
    set_fields(states.features[row]);
    select({ state: row });
    say_answer(row);
  } });
  fields = model.features.map((feature, f) => {
    const attributes = { id: `try-${f}`, onchange: try_now, oninput: try_now };
    if (feature.values && feature.values.length <= 12) return el("select", attributes, feature.values.map((v) => el("option", { value: v, selected: v === first[f] }, figure(v))));
    return el("input", { ...attributes, type: "number", step: "any", value: first[f] });
  });
  const field = (f) => el("div", {}, el("label", { for: `try-${f}`, title: featureName(f) }, featureName(f)), fields[f]);
  const every = model.features.map((_, f) => f), unasked = every.filter((f) => !asked.has(f));
  put($("try-form"), el("div", { class: "fields" }, el("div", {}, el("label", { for: "try-state" }, "a state by its number"), pick), every.filter((f) => asked.has(f)).map(field)),
    unasked.length ? el("details", { open: unasked.length <= 4 },
      el("summary", {}, `${count(unasked.length, "feature", "features")} that the tree does not ask for`),
      el("div", { class: "fields" }, unasked.map(field))) : null);
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
// The values of a state in words: all of a few features, otherwise those that the tree asks for; of many, those that are not 0.
const where = (row) => {
  const used = model.features.map((_, f) => f).filter((f) => model.features.length <= 6 || asked.has(f));
  const told = used.filter((f) => used.length <= 6 || states.features[row][f] !== 0);
  const words = told.map((f) => `${featureName(f)}\u00a0=\u00a0${figure(states.features[row][f])}`).join(", ");
  return told.length === used.length ? words || "any" : words ? `${words}, others 0` : "all 0";
};
const say_play = () => {
  const total = `${costs ? "cost" : "return"} so far ${worth(episode.total)}`;
  put($("play-now"), episode.ended ? `The episode ended after ${count(episode.time, "step", "steps")}; ${total}.`
    : [`State ${states.number[episode.row]}; ${total}. Next: `, named(states.action[episode.row])]);
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
  select({ state: row }, false);
  say_play();
};
const start_run = () => {
  $("play-run").textContent = "Stop";
  episode.timer = setInterval(() => { play_step(); if (episode.ended || episode.time >= 500) stop_run(); }, 120);
};
const stop_run = () => { clearInterval(episode.timer); episode.timer = null; $("play-run").textContent = "Run"; };

// ---- where it differs ---------------------------------------------------------------------------------------------------
// What a row of the table and a cell of the map have in common: a click or Enter selects their state.
const selects = (row) => ({
  tabindex: 0, "data-state": row, onclick: () => select({ state: row }),
  onkeydown: (event) => { if (event.key === "Enter") select({ state: row }); },
});
let order_by = { column: "loss", down: true };
const heading = (column, text, kind = "number") => {
  const chosen = order_by.column === column;
  const turn = () => { order_by = { column, down: chosen ? !order_by.down : true }; differences(); };
  return el("th", { class: kind, scope: "col", "aria-sort": chosen ? (order_by.down ? "descending" : "ascending") : null },
    column ? el("button", { type: "button", onclick: turn }, text, chosen ? (order_by.down ? " ▾" : " ▴") : "") : text);
};
const differences = () => {
  const place = $("differences-body");
  if (!data.differences.length) {
    put(place, el("p", {}, "Nowhere: in every state that it visits the tree does as well as the best policy."));
    return;
  }
  const all = result.optimum - result.value, listed = data.differences.length;
  const rows = data.differences.map((row) => {
    const [number, visits, regret] = [states.number[row], states.visits[row], states.regret[row]];
    return { row, number, visits, regret, loss: visits * regret };
  });
  rows.sort((a, b) => (order_by.down ? -1 : 1) * (a[order_by.column] - b[order_by.column]));
  const cell = (kind, content) => el("td", { class: kind }, content);
  const line = ({ row, number, visits, regret, loss }) => el("tr", selects(row),
    cell("number", number), cell("words", where(row)), cell("does", named(states.action[row])), cell("does", named(states.best[row])),
    cell("number wide", figure(visits)), cell("number wide", figure(regret)), cell("number", figure(loss)),
    cell("number wide", all > 0 ? percent(loss / all) : "–"));
  put(place,
    el("p", {}, `In ${visited(data.num_differences)} the tree loses something; together ${figure(all)}.`,
      listed < data.num_differences ? ` The ${listed} most costly are listed.` : "", " Select a row to light its path."),
    on_this_page(),
    el("div", { class: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {},
        heading("number", "state"), heading(null, "where", "words"), heading(null, "the tree does", "does"), heading(null, "the best policy does", "does"),
        heading("visits", "visits", "number wide"), heading("regret", "loses a visit", "number wide"), heading("loss", "loses in all"),
        heading(null, "share", "number wide"))),
      el("tbody", {}, rows.map(line)))));
  light();
};

// ---- the map ------------------------------------------------------------------------------------------------------------
// One world for each combination of the features that are not on the map, in their order.
const worlds_of = (grid) => {
  const worlds = new Map();
  states.features.forEach((features, row) => {
    const others = grid.others.map((f) => features[f]), key = key_of(others);
    if (!worlds.has(key)) worlds.set(key, { others, rows: [] });
    worlds.get(key).rows.push(row);
  });
  const first_gap = (a, b) => a.others.map((value, k) => value - b.others[k]).find((gap) => gap !== 0) || 0;
  return [...worlds.values()].filter((world) => world.rows.length > 1).sort(first_gap);
};
const draw_cell = (row, left, top, side) => {
  const [unvisited, choice, act] = [states.visits[row] === 0, states.choice[row] === 1, states.action[row]];
  const differs = !unvisited && states.regret[row] > 0;
  const does = choice ? actionName(act) : "no choice", better = differs ? `, the best policy does ${actionName(states.best[row])}` : "";
  return sv("g", { class: "cell", role: "button", "aria-label": `${where(row)}: ${does}${better}`, ...selects(row) },
    sv("rect", { class: "card", x: left + 1, y: top + 1, width: side - 2, height: side - 2, rx: 4 }),
    sv("rect", { x: left + 3, y: top + 3, width: side - 6, height: side - 6, rx: 3, fill: choice ? colour(act) : "none", opacity: unvisited ? 0.28 : 0.95 }),
    sv("text", { x: left + side / 2, y: top + side / 2 + 5, "text-anchor": "middle", style: choice && !unvisited ? `fill:${ink_on(act)};font-weight:600` : null },
      choice ? sign_of(act) : "·"),
    differs ? sv("path", { d: `M${left + side - 3} ${top + 3} v${side / 3} l${-side / 3} ${-side / 3} z`, fill: "var(--accent)" }) : null,
    sv("title", {}, `${where(row)}: ${choice ? does : "all actions do the same"}`));
};
const draw_world = (grid, world, [x0, x1], [y0, y1]) => {
  const across = x1 - x0 + 1, down = y1 - y0 + 1, margin = 24;
  const side = Math.max(22, Math.min(52, Math.floor(400 / across)));
  const left = (x) => margin + (x - x0) * side, top = (y) => (grid.up ? y1 - y : y - y0) * side;
  const on_map = (x, y) => x >= x0 && x <= x1 && y >= y0 && y <= y1;
  const cells = world.rows.map((row) => draw_cell(row, left(states.features[row][grid.x]), top(states.features[row][grid.y]), side));
  const rings = grid.marks.map((pair) => pair.map((f) => world.others[grid.others.indexOf(f)])).filter(([x, y]) => on_map(x, y))
    .map(([x, y]) => sv("circle", { class: "place", cx: left(x) + side / 2, cy: top(y) + side / 2, r: side / 2 - 4 }));
  const labels = [];
  for (let x = x0; x <= x1; x += 1) labels.push(sv("text", { class: "small", x: left(x) + side / 2, y: down * side + 13, "text-anchor": "middle" }, String(x)));
  for (let y = y0; y <= y1; y += 1) labels.push(sv("text", { class: "small", x: margin - 6, y: top(y) + side / 2 + 4, "text-anchor": "end" }, String(y)));
  const [wide, high] = [margin + 4 + across * side, down * side + 18];
  return sv("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, role: "group", "aria-label": "Map of the policy" }, cells, rings, labels);
};
const map = () => {
  const grid = data.grid, all = grid ? worlds_of(grid) : [];
  if (!all.length) return;
  document.body.classList.add("mapped");
  $("map").hidden = false;
  const span = (f) => {
    const values = all.flatMap((world) => world.rows.map((row) => states.features[row][f]));
    return [Math.min(...values), Math.max(...values)];
  };
  const [xs, ys] = [span(grid.x), span(grid.y)], picture = el("div", {}), caption = el("p", { role: "status" });
  const show = (number) => {
    put(picture, draw_world(grid, all[number], xs, ys));
    caption.textContent = grid.others.map((f, k) => `${featureName(f)} = ${figure(all[number].others[k])}`).join(", ");
    light();
  };
  const slider = el("input", { type: "range", min: 0, max: all.length - 1, id: "map-slider", oninput: () => show(Number(slider.value)) });
  const rings = grid.marks.map(([x, y]) => `${featureName(x)}, ${featureName(y)}`).join(" and ");
  put($("map-body"), picture,
    el("p", { class: "hint" }, `Across: ${featureName(grid.x)}, ${grid.up ? "upwards" : "downwards"}: ${featureName(grid.y)}. Pale: never visited.`,
      " Dot: all actions do the same. A corner marks a visited state where the best policy does better.", rings ? ` Ring: the place ${rings}.` : ""),
    all.length > 1 ? [el("label", { for: "map-slider" }, "The other features: "), slider] : null, caption);
  const visits = all.map((world) => world.rows.reduce((sum, row) => sum + states.visits[row], 0));
  slider.value = visits.indexOf(Math.max(...visits));
  show(Number(slider.value));
};

// ---- history, frontier, set-up ------------------------------------------------------------------------------------------
// Steps over an axis from `from`; a value that is not known leaves its line out there.
const lines = (points, across, from, series, unit) => {
  const W = Math.max(260, Math.min(860, $("history").clientWidth - 30)), H = 230, left = 74, bottom = 34, top = 12;
  const ys = points.flatMap((p) => series.map(([name]) => p[name])).filter((v) => v !== null).map((v) => sign * v);
  const end = Math.max(...points.map((p) => p[across])), [low, high] = [Math.min(...ys), Math.max(...ys)];
  const px = (x) => left + ((W - left - 14) * (x - from)) / (end - from || 1), py = (y) => top + ((H - top - bottom) * (high - y)) / (high - low || 1);
  const step = (name) => points.filter((p) => p[name] !== null).map((p, k) => `${k ? `H${px(p[across])} V` : `M${px(p[across])} `}${py(sign * p[name])}`).join(" ");
  return sv("svg", { viewBox: `0 0 ${W} ${H}`, style: `max-width:${W}px`, width: "100%", role: "img", "aria-label": series.map(([, text]) => text).join(" and ") },
    sv("path", { class: "axis", d: `M${left} ${top} V${H - bottom} H${W - 14}` }),
    [low, high].map((y) => sv("text", { class: "small", x: left - 6, y: py(y) + 4, "text-anchor": "end" }, figure(y))),
    [from, end].map((x, k) => sv("text", { class: "small", x: px(x), y: H - bottom + 15, "text-anchor": k ? "end" : "start" }, `${brief(x)}${unit}`)),
    series.map(([name, , style]) => sv("path", { class: style, d: step(name) })));
};
const same = (a, b) => Math.abs(a - b) <= 1e-6 * Math.max(1e-9, Math.abs(a), Math.abs(b));
const history = () => {
  const points = data.history.filter((p) => p.value !== null), parts = [];
  if (points.length) {
    const found = points.find((p) => same(p.value, result.value)), first = points[0];
    const when = `the tree was found after ${brief(found ? found.seconds : result.seconds)} s of ${brief(result.seconds)} s`;
    if (points.every((p) => same(p.value, first.value) && same(p.bound, first.bound))) {
      parts.push(el("p", {}, `${result.method}: ${when}, and nothing changed afterwards.`));
    } else {
      const end = { seconds: result.seconds, value: result.value, bound: result.bound };
      parts.push(el("p", {}, el("span", { class: "good" }, "— best tree so far"), "  ", el("span", { class: "bad" }, "- - bound"), ` ${costs ? "(costs) " : ""}over time; ${when}.`),
        lines([...points, end], "seconds", 0, [["value", "best tree so far", "value-line"], ["bound", "bound", "bound-line"]], " s"));
    }
  } else parts.push(el("p", {}, `${result.method}, ${result.seconds.toFixed(1)} s; the run kept no record of its steps.`));
  if (data.frontier) {
    const sizes = data.frontier.map((p) => `${count(p.leaves, "leaf", "leaves")}: ${worth(p.value)}`).join("; ");
    parts.push(el("h3", {}, `${costs ? "Cost" : "Return"} against number of leaves`),
      lines(data.frontier, "leaves", data.frontier[0].leaves, [["value", "best tree found", "value-line"], ["bound", "bound", "bound-line"]], " leaves"), el("p", { class: "hint" }, sizes));
  }
  put($("history-body"), parts);
};
const legend = () => {
  const used = new Set(nodes.filter((n) => n.action !== null).map((n) => n.action));
  for (const node of nodes) for (const one of node.best) used.add(one.action);
  put($("legend"), [...used].sort((a, b) => a - b).map((a) => el("li", { title: actionName(a) }, named(a))));
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
window.addEventListener("resize", () => { if (window.innerWidth !== last) { last = window.innerWidth; draw_tree(); history(); } });
watch();
document.documentElement.dataset.ready = "yes";
})();
