// What a value of a scenario file may be. A check adds its errors at the node that has them.
import { isMap, isNode, isScalar, isSeq, type Node } from "yaml";
import { parseDuration } from "../time.ts";

export type Add = (node: Node | null, message: string) => void;
export type Check = (node: Node | null, words: string, add: Add) => void;

/** An object with these members and no others. */
export const object =
  (members: Record<string, Check>, required: readonly string[] = []): Check =>
  (node, words, add) => {
    if (!isMap(node)) return add(node, `${words} has to be an object`);
    const found = new Set<string>();
    for (const { key, value } of node.items) {
      const name = String(isScalar(key) ? key.value : key);
      const check = Object.hasOwn(members, name) ? members[name] : undefined;
      found.add(name);
      if (check) check(isNode(value) ? value : null, name, add);
      else
        add(
          isNode(key) ? key : node,
          `${words}: "${name}" is unknown. Expected one of ${Object.keys(members).join(", ")}`,
        );
    }
    for (const name of required) if (!found.has(name)) add(node, `${words}: "${name}" is missing`);
  };

/** An object with any names. */
export const record =
  (member: Check): Check =>
  (node, words, add) => {
    if (!isMap(node)) return add(node, `${words} has to be an object`);
    for (const { key, value } of node.items)
      member(isNode(value) ? value : null, String(isScalar(key) ? key.value : key), add);
  };

export const list =
  (item: Check, most: number): Check =>
  (node, words, add) => {
    if (!isSeq(node)) return add(node, `${words} has to be a list`);
    if (node.items.length > most) add(node, `${words} has more than ${most} entries`);
    for (const entry of node.items) item(isNode(entry) ? entry : null, words, add);
  };

export const text: Check = (node, words, add) => {
  if (!isScalar(node) || typeof node.value !== "string" || node.value === "") add(node, `${words} has to be a text`);
};

export const flag: Check = (node, words, add) => {
  if (!isScalar(node) || typeof node.value !== "boolean") add(node, `${words} has to be true or false`);
};

export const count: Check = (node, words, add) => {
  if (!isScalar(node) || !Number.isInteger(node.value) || Number(node.value) < 0)
    add(node, `${words} has to be a number`);
};

export const anyObject: Check = (node, words, add) => {
  if (!isMap(node)) add(node, `${words} has to be an object`);
};

export const anything: Check = () => undefined;

export const oneOf =
  (words: readonly string[]): Check =>
  (node, name, add) => {
    if (!isScalar(node) || !words.includes(node.value as string))
      add(node, `${name} has to be one of ${words.join(", ")}`);
  };

export const isoTime: Check = (node, words, add) => {
  if (!isScalar(node) || typeof node.value !== "string" || Number.isNaN(Date.parse(node.value)))
    add(node, `${words} has to be a time, such as "2026-03-02T09:00:00Z"`);
};

export const moment: Check = (node, words, add) => {
  const given = isScalar(node) ? node.value : null;
  const isMoment =
    typeof given === "string" && ((given.startsWith("+") && parseDuration(given) !== null) || isIso(given));
  if (!isMoment) add(node, `${words} has to be "+0m", "+1d2h" or a time, such as "2026-03-02T09:00:00Z"`);
};

const isIso = (given: string): boolean => /^\d{4}-\d\d-\d\d/.test(given) && !Number.isNaN(Date.parse(given));

const range = object({ from: moment, to: moment }, ["from", "to"]);
export const momentOrRange: Check = (node, words, add) => (isMap(node) ? range : moment)(node, words, add);

export const matcher: Check = (node, words, add) => {
  if (!isMap(node)) return text(node, words, add);
  object({ contains: text, matches: text })(node, words, add);
  const pattern = node.get("matches");
  if (node.items.length !== 1) return add(node, `${words} has to have "contains" or "matches", and one of them`);
  if (typeof pattern !== "string") return;
  try {
    new RegExp(pattern, "su");
  } catch (error) {
    add(node, `${words}: ${(error as Error).message}`);
  }
};
