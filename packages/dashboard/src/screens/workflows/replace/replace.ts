// Search and replace over the content of workflows: hits with their surroundings, and the content after it. Pure.
import { withTexts } from "../editor/step-uses.ts";

export type Search = { text: string; isCaseSensitive: boolean };
type Content = { stepId: string; name: string; controlValues: Record<string, unknown> };
/** Where the text occurs: the step, the field, and the first occurrence with what is around it. */
export type Hit = { step: string; path: string; count: number; before: string; match: string; after: string };

const around = 32;

const patternOf = ({ text, isCaseSensitive }: Search): RegExp =>
  new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), isCaseSensitive ? "gu" : "giu");

export function findHits(steps: readonly Content[], search: Search): Hit[] {
  if (search.text === "") return [];
  const pattern = patternOf(search);
  return steps.flatMap(({ name, controlValues }) => {
    const hits: Hit[] = [];
    withTexts(controlValues, (text, path) => {
      const found = [...text.matchAll(pattern)];
      const [first] = found;
      if (first) {
        const end = first.index + first[0].length;
        hits.push({
          step: name,
          path,
          count: found.length,
          before: `${first.index > around ? "…" : ""}${text.slice(Math.max(0, first.index - around), first.index)}`,
          match: first[0],
          after: `${text.slice(end, end + around)}${text.length > end + around ? "…" : ""}`,
        });
      }
      return text;
    });
    return hits;
  });
}

/** The same steps with the text replaced; a step without it is the same object. */
export function replaceIn<T extends { controlValues: Record<string, unknown> }>(
  steps: readonly T[],
  search: Search,
  replacement: string,
): T[] {
  const pattern = patternOf(search);
  return steps.map((step) => {
    // A function, so that `$&` in the replacement has no meaning.
    const controlValues = withTexts(step.controlValues, (text) => text.replace(pattern, () => replacement));
    return controlValues === step.controlValues ? step : { ...step, controlValues };
  });
}
