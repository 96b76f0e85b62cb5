// Writing HTML safely: everything put into the template is escaped unless it came out of the template itself, so that a
// description can never become markup by being forgotten.

export type Html = { readonly html: string };
type Value = string | number | Html | readonly Value[] | undefined | false;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "");

const render = (value: Value): string => {
  if (value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  if ("html" in value) return value.html;
  return value.map(render).join("");
};

export const html = (strings: TemplateStringsArray, ...values: Value[]): Html => ({
  html: strings.reduce((text, string, index) => text + render(values[index - 1]) + string),
});

/** For text that is ours and no document's: the style sheet, the script. */
export const trusted = (text: string): Html => ({ html: text });

/** Prose from the contract: `words in backticks` become code, nothing else is markup. */
export const prose = (text: string): Html => ({
  html: escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>"),
});

/** A block that can be copied; the script adds the button, so that nobody sees one that does nothing. */
export const codeBlock = (label: string, text: string): Html =>
  html`<figure class="code"><figcaption>${label}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`;

/** Ids are made of operation ids and type names, which may hold characters that are awkward in a fragment. */
export const anchor = (...parts: string[]): string => parts.join("-").replace(/[^a-zA-Z0-9_.-]+/g, "-");
