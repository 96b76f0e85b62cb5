// What differs between the contents of two versions of a message, as texts that are compared line by line. Pure.

/** As the service returns it; other members of it are not shown. */
export type Content = { subject?: string | null; body?: string | null; cta?: unknown; address?: string | null };

const names = ["subject", "body", "cta", "address"] as const;
type Name = (typeof names)[number];
type Changed = { field: Name; before: unknown; after: unknown };

export const isHtml = (text: string): boolean => /<(?:[a-z]|!doctype)/i.test(text);

/** `isSourceOnly`: the body reads the same, and its HTML is compared instead. */
export function changedContent(before: Content, after: Content): { fields: Changed[]; isSourceOnly: boolean } {
  const fields = names.flatMap((field): Changed[] => {
    const [was, is] = [before[field] ?? null, after[field] ?? null];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ field, before: was, after: is }];
  });
  const body = fields.find(({ field }) => field === "body");
  if (!body || (!isHtml(String(body.before)) && !isHtml(String(body.after)))) return { fields, isSourceOnly: false };
  const [was, is] = [readable(String(body.before ?? "")), readable(String(body.after ?? ""))];
  const isSourceOnly = was === is;
  const shown = isSourceOnly
    ? { before: sourceLines(String(body.before ?? "")), after: sourceLines(String(body.after ?? "")) }
    : { before: was, after: is };
  return { fields: fields.map((one) => (one === body ? { field: "body", ...shown } : one)), isSourceOnly };
}

const sourceLines = (html: string): string => html.replace(/>\s*</g, ">\n<");

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decode(whole: string, name: string): string {
  if (!name.startsWith("#")) return entities[name] ?? whole;
  const code = name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return Number.isInteger(code) && code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** What a reader reads of it: a line for each block, links with their addresses. */
export const readable = (html: string): string =>
  html
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<(style|script|head|title)\b[\s\S]*?<\/\1\s*>/gi, "")
    .replace(/\s+/g, " ")
    .replace(/<a\b[^>]*?\bhref="([^"]*)"[^>]*>([\s\S]*?)<\/a\s*>/gi, "$2 ($1)")
    .replace(/<img\b[^>]*?\bsrc="([^"]*)"[^>]*>/gi, "[$1]")
    .replace(/<br\b[^>]*>|<\/(?:p|div|tr|td|th|li|h[1-6]|table|section|blockquote)\s*>/gi, "\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(#?\w+);/g, decode)
    .split("\n")
    .map((line) => line.replace(/(?:[\s\u200b-\u200f\ufeff\u00ad]|\u034f)+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
