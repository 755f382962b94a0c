// What can be measured of a page: what is too wide, which texts meet or leave their cards, what is too pale to be read.

const box = (element) => element.getBoundingClientRect();
// Boxes of text are as tall as the font's line; signs fill its middle.
const ink = (text) => {
  const { left, right, top, bottom, height } = box(text);
  return { left, right, top: top + 0.2 * height, bottom: bottom - 0.2 * height, said: text.textContent };
};
const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
  && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0;
const inside = (a, card) => a.left >= card.left - 1 && a.right <= card.right + 1 && a.top >= card.top && a.bottom <= card.bottom;
const pairs = (items, words) => items.flatMap((a, k) => items.slice(k + 1).filter((b) => meet(a, b)).map((b) => [words, a.said, b.said]));

const too_wide = () => {
  const scrolls = ".scroll, .canvas, svg, .fields, [hidden], .skip";
  const elements = [...document.querySelectorAll("body *")].filter((element) => !element.closest(scrolls) && box(element).width);
  const found = elements.filter((element) => box(element).right > innerWidth + 1 || box(element).left < -1);
  const holders = [document.documentElement, ...document.querySelectorAll(".scroll, .fields")].filter((holder) => holder.scrollWidth > holder.clientWidth);
  return [...holders.map((holder) => `the content of ${holder.className || holder.tagName}`), ...found.map((element) => element.outerHTML.slice(0, 120))];
};

const wrong_texts = () => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const all = (selector, within = svg) => [...within.querySelectorAll(selector)];
  const cards = all(".node > .card").map(box);
  return [
    ...pairs(all("text").map(ink), "texts meet"),
    ...pairs(cards, "cards meet"),
    ...all(".node").flatMap((node) => all("text", node).map(ink).filter((text) => !inside(text, box(node.querySelector(".card"))))).map((text) => ["leaves its card", text.said]),
    ...all(":scope > text").map(ink).filter((label) => cards.some((card) => meet(label, card))).map((label) => ["on a card", label.said]),
  ];
});

const channel = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const luminance = (colour) => {
  const [r, g, b] = colour.match(/[\d.]+/g).map((c) => channel(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};
const behind = (element) => {
  const colour = getComputedStyle(element).backgroundColor;
  return colour.startsWith("rgba") && element.parentElement ? behind(element.parentElement) : colour;
};
const too_pale = () => [...document.querySelectorAll("h1, h2, p, dt, dd, label, button:enabled, td, th, .chip, .label, .value, summary, li")]
  .filter((element) => !element.closest("[hidden]") && element.textContent.trim())
  .map((element) => [contrast(getComputedStyle(element).color, behind(element)), element.outerHTML.slice(0, 100)])
  .filter(([found]) => found < 4.5);
