// HTML templates: every value is escaped unless it is the result of a template, so that a missing escape cannot turn
// text into markup.

export type Html = { readonly html: string };
type Value = string | number | Html | readonly Value[] | undefined | false;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "");

function render(value: Value): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  if ("html" in value) return value.html;
  return value.map(render).join("");
}

export const html = (strings: TemplateStringsArray, ...values: Value[]): Html => ({
  html: strings.reduce((text, string, index) => text + render(values[index - 1]) + string),
});

/** Not escaped: for constants of the code such as the style sheet and the script, never for data. */
export const trusted = (text: string): Html => ({ html: text });

/** Prose from the contract: `words in backticks` become code, nothing else is markup. */
export const prose = (text: string): Html => ({
  html: escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>"),
});

/** A block that can be copied. The script adds the button, so without a script there is none. */
export const codeBlock = (label: string, text: string): Html =>
  html`<figure class="code"><figcaption>${label}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`;

/** An element id from operation ids and type names, without the characters that fragments have to escape. */
export const anchor = (...parts: string[]): string => parts.join("-").replace(/[^a-zA-Z0-9_.-]+/g, "-");
