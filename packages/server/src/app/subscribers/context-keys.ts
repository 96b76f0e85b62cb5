// The `contextKeys` filter: absent means no filter, given means exactly this set, one empty value means "without any".
import { invalid } from "../../failure.ts";

const keyPattern = /^[a-zA-Z0-9_-]{1,100}:[a-zA-Z0-9_-]{1,100}$/;

/** Sorted and without duplicates, as records store them; undefined when there is no filter. */
export function readContextKeys(given: string[] | undefined): string[] | undefined {
  if (given === undefined) return undefined;
  if (given.length === 1 && given[0] === "") return [];
  const bad = given.find((key) => !keyPattern.test(key));
  if (bad !== undefined) {
    throw invalid({ contextKeys: { messages: ["contextKeys must have the form <type>:<id>"], value: bad } });
  }
  return [...new Set(given)].sort();
}
