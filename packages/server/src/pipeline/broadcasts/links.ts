// Links of messages: found in what was rendered, and tried once before a broadcast is sent. Calls go through the same
// guard as those to webhooks: no private addresses, bounded responses.
import { setTimeout as delay } from "node:timers/promises";
import type { Io } from "@tidings/providers";
import type { LinkFault } from "../../store/broadcasts/checks.ts";
import type { MessageDraft } from "../run/run.ts";

/** Characters of content that are searched. */
const searchedLength = 200_000;
const maxUrlLength = 2_000;

/** Web addresses that a reader can click. */
export function linksOf({ channel, content, cta }: Pick<MessageDraft, "channel" | "content" | "cta">): string[] {
  const text = (content ?? "").slice(0, searchedLength);
  const isHtml = channel === "email" || channel === "in_app";
  const found = isHtml
    ? [...text.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(([, a, b]) => decode(a ?? b ?? ""))
    : [...text.matchAll(/https?:\/\/[^\s<>"')\]]+/gi)].map(([url]) => withoutEnd(url));
  const own = cta ? [...JSON.stringify(cta).matchAll(/"url":"([^"\\]*)"/g)].map(([, url]) => url!) : [];
  return [...found, ...own].map((url) => url.trim()).filter(isWeb);
}

const isWeb = (url: string): boolean => /^https?:\/\//i.test(url) && url.length <= maxUrlLength && URL.canParse(url);

const decode = (text: string): string =>
  text.replaceAll("&amp;", "&").replaceAll("&#38;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");

/** Calls at once, and how long each may take. */
const atOnce = 8;
const limitMs = 5_000;

export async function tryLinks(http: Io["http"], urls: readonly string[]): Promise<LinkFault[]> {
  const faults: LinkFault[] = [];
  const left = [...urls];
  const work = async () => {
    for (let url = left.shift(); url !== undefined; url = left.shift()) {
      const problem = await problemOf(http, url);
      if (problem) faults.push({ url, problem });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, urls.length) }, work));
  return faults
    .sort((a, b) => urls.indexOf(a.url) - urls.indexOf(b.url))
    .map((fault) => ({ ...fault, url: shown(fault.url) }));
}

/** Without what may belong to one person. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === "/" ? "" : pathname}`;
}

/** HEAD first, which neither loads the page nor acts; some servers do not know it. */
async function problemOf(http: Io["http"], url: string): Promise<string | null> {
  const head = await call(http, "HEAD", url);
  const reply = head === 405 || head === 501 || head === 403 ? await call(http, "GET", url) : head;
  if (typeof reply === "string") return reply;
  return reply >= 400 ? `returns ${reply}` : null;
}

async function call(http: Io["http"], method: "HEAD" | "GET", url: string): Promise<number | string> {
  const timer = new AbortController();
  const late = delay(limitMs, "does not respond in 5 seconds", { signal: timer.signal, ref: false });
  late.catch(() => {});
  try {
    const reply = http({ method, url, headers: { accept: "text/html,*/*" } }).then(
      ({ status }) => status,
      () => "cannot be reached",
    );
    return await Promise.race([reply, late]);
  } finally {
    timer.abort();
  }
}

/** The text without the punctuation of its sentence. */
function withoutEnd(url: string): string {
  let end = url.length;
  while (end > 0 && ".,;:!?".includes(url[end - 1]!)) end--;
  return url.slice(0, end);
}
