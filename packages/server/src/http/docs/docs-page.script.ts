// The inline script of the documentation page. Everything on the page can be read without it; it adds the filter, the
// copy buttons and the "try it" forms. Plain browser JavaScript as text, because the policy admits it by its hash.
import { placeholderOrigin } from "./docs-page.example.ts";

export const docsPageScript = `"use strict";
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const reveal = (element) => { if (element) element.hidden = false; };

// The page may sit behind a path prefix; the API then has the same one.
const prefix = location.pathname.replace(/\\/docs\\/?$/, "").replace(/\\/$/, "");
for (const code of all("figure.code code")) {
  code.textContent = code.textContent.replaceAll(${JSON.stringify(placeholderOrigin)}, location.origin + prefix);
}

// Menu on small screens
const menu = one("#menu");
const navigation = one("#navigation");
const showMenu = (open) => {
  document.documentElement.classList.toggle("menu-open", open);
  menu.setAttribute("aria-expanded", String(open));
};
document.documentElement.classList.add("js");
reveal(menu);
menu.addEventListener("click", () => showMenu(menu.getAttribute("aria-expanded") !== "true"));
navigation.addEventListener("click", (event) => { if (event.target.closest("a")) showMenu(false); });

// Filter as you type
const search = one("#search");
const links = all("a[data-search]", navigation);
const filter = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let found = 0;
  for (const link of links) {
    const matches = words.every((word) => link.dataset.search.includes(word));
    link.parentElement.hidden = !matches;
    if (matches) found += 1;
  }
  for (const group of all(".group", navigation)) {
    group.hidden = words.length > 0 && !all("a[data-search]", group).some((link) => !link.parentElement.hidden);
  }
  one("#found").textContent = words.length > 0 ? found + " operations match" : "";
};
reveal(one(".tools"));
search.addEventListener("input", filter);
search.addEventListener("keydown", (event) => {
  const first = links.find((link) => !link.parentElement.hidden);
  if (event.key === "Enter" && first) first.click();
  if (event.key === "Escape") { search.value = ""; filter(); }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, textarea")) return;
  event.preventDefault();
  showMenu(true);
  search.focus();
});

// The navigation follows the reader
const current = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) {
    if (!isIntersecting) continue;
    for (const link of all("a[aria-current]", navigation)) link.removeAttribute("aria-current");
    const link = all("a", navigation).find(({ hash }) => hash === "#" + target.id);
    if (!link) continue;
    link.setAttribute("aria-current", "true");
    const box = link.getBoundingClientRect();
    const frame = navigation.getBoundingClientRect();
    if (box.top < frame.top + 60 || box.bottom > frame.bottom) navigation.scrollTop += box.top - frame.top - frame.height / 3;
  }
}, { rootMargin: "-15% 0px -75% 0px" });
for (const section of all(".operation, .chapter")) current.observe(section);

// Copy buttons
for (const figure of all("figure.code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy: " + one("figcaption", figure).textContent);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(one("code", figure).textContent);
      button.textContent = "Copied";
    } catch {
      // Outside https and localhost browsers offer no clipboard: select the text, so that one key stroke copies it.
      getSelection().selectAllChildren(one("code", figure));
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  one("figcaption", figure).append(button);
}

// Try it
const keyName = "tidings.apiKey";
const key = one("#key");
reveal(one("#key-form"));
// A browser that blocks storage throws here; the key then lasts as long as the page.
const stored = (action) => { try { return action(sessionStorage); } catch { return null; } };
key.value = stored((storage) => storage.getItem(keyName)) ?? "";
key.addEventListener("input", () => stored((storage) => storage.setItem(keyName, key.value.trim())));
one("#key-form").addEventListener("submit", (event) => event.preventDefault());

const requestOf = (form) => {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of all("input[data-in]", form)) {
    if (input.dataset.in === "path") path = path.replace("{" + input.name + "}", encodeURIComponent(input.value));
    else if (input.value !== "") {
      const values = "list" in input.dataset ? input.value.split(",").map((value) => value.trim()) : [input.value];
      for (const value of values) query.append(input.name, value);
    }
  }
  return { url: prefix + path + (query.size > 0 ? "?" + query : ""), body: one("textarea", form)?.value };
};

const show = (output, status, text, failed) => {
  output.replaceChildren();
  const line = document.createElement("strong");
  line.textContent = status;
  line.className = failed ? "failed" : "passed";
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.textContent = text;
  output.append(line, ...(text === "" ? [] : [pre]));
};

const pretty = (text) => {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
};

for (const details of all("details.try")) {
  reveal(details);
  const form = one("form", details);
  const output = one("output", form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (key.value.trim() === "") {
      show(output, "No API key yet", "Enter one under Authentication, at the top of this page.", true);
      return;
    }
    const { url, body } = requestOf(form);
    const headers = { authorization: "ApiKey " + key.value.trim() };
    if (body !== undefined) headers["content-type"] = "application/json";
    const started = performance.now();
    show(output, "Sending …", "", false);
    try {
      const response = await fetch(url, { method: form.dataset.method, headers, body });
      const text = await response.text();
      const took = Math.round(performance.now() - started) + " ms";
      show(output, response.status + " " + response.statusText + ", " + took, pretty(text), !response.ok);
    } catch (error) {
      show(output, "No response", String(error), true);
    }
  });
}
`;
