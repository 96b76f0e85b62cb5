// Search and replace over the content of workflows and layouts: hits with their surroundings, and the content after it.
// Pure.
import type { LayoutFile, WorkflowFile } from "@tidings/contract";
import { withTexts } from "../flow/step-uses.ts";
import { words } from "./words.ts";

export type Search = { text: string; isCaseSensitive: boolean };
/** What is searched together: the fields of a step, the texts of a language. */
type Part = { place: string; values: unknown; locale?: string };
export type Searched = { kind: "workflow" | "layout"; id: string; name: string; parts: Part[] };
/** Where the text occurs: the part, the field, and the first occurrence with what is around it. */
export type Hit = {
  place: string;
  path: string;
  locale?: string;
  count: number;
  before: string;
  match: string;
  after: string;
};

const around = 32;

const textsOf = (translations: WorkflowFile["translations"] = {}): Part[] =>
  Object.entries(translations).map(([locale, values]) => ({ place: words.textsIn(locale), values, locale }));

export const searchedWorkflow = ({ workflowId, name, description, steps, translations }: WorkflowFile): Searched => ({
  kind: "workflow",
  id: workflowId,
  name,
  parts: [
    { place: words.settings, values: { name, description } },
    ...steps.map(({ stepId, name: place = stepId, controlValues = {} }) => ({ place, values: controlValues })),
    ...textsOf(translations),
  ],
});

export const searchedLayout = ({ layoutId, name, body, translations }: LayoutFile): Searched => ({
  kind: "layout",
  id: layoutId,
  name,
  parts: [{ place: words.layout, values: { name, body } }, ...textsOf(translations)],
});

const patternOf = ({ text, isCaseSensitive }: Search): RegExp =>
  new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), isCaseSensitive ? "gu" : "giu");

export function findHits(parts: readonly Part[], search: Search): Hit[] {
  if (search.text === "") return [];
  const pattern = patternOf(search);
  return parts.flatMap(({ place, values, locale }) => {
    const hits = new Map<string, Hit>();
    changeContent(values, (text, path) => {
      const [first, ...more] = text.matchAll(pattern);
      if (!first) return text;
      const known = hits.get(path);
      if (known) known.count += 1 + more.length;
      else hits.set(path, { ...hitAt(text, first), place, path, locale, count: 1 + more.length });
      return text;
    });
    return [...hits.values()];
  });
}

function hitAt(text: string, { index, 0: match }: RegExpMatchArray & { index: number }) {
  const end = index + match.length;
  return {
    before: `${index > around ? "…" : ""}${text.slice(Math.max(0, index - around), index)}`,
    match,
    after: `${text.slice(end, end + around)}${text.length > end + around ? "…" : ""}`,
  };
}

/** The same values with the text replaced; the same object where it does not occur. */
export function replaceIn<T>(values: T, search: Search, replacement: string): T {
  const pattern = patternOf(search);
  // A function, so that `$&` in the replacement has no meaning.
  return changeContent(values, (text) => text.replace(pattern, () => replacement));
}

/** Every text of the values; of a block document its texts, and not the names of blocks and looks. */
const changeContent = <T>(values: T, change: (text: string, path: string) => string): T =>
  withTexts(values, (text, path) => {
    const document = readBlocks(text);
    if (document === undefined) return change(text, path);
    const changed = withTexts(document, (inner, place) => (isContent(place) ? change(inner, path) : inner));
    return changed === document ? text : JSON.stringify(changed);
  });

function readBlocks(text: string): object | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const found = JSON.parse(text) as { type?: unknown } | null;
    return found?.type === "doc" ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Members of blocks that authors write: texts, addresses, names of variables, and conditions. */
const written = new Set(
  ["text", "url", "href", "src", "alt", "title", "link", "externalLink", "image", "label", "network"].concat([
    "id",
    "fallback",
    "each",
    "html",
  ]),
);
const isContent = (path: string): boolean => {
  const names = path.split(".");
  return written.has(names.at(-1)!) || names.some((name) => name.startsWith("showIf"));
};
