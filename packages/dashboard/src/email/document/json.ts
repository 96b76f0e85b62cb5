// Block documents as they are stored: TipTap's JSON, which the renderer of the service reads. Pure.

export type Json = unknown;
export type JsonMembers = Record<string, Json>;

/** A node or mark with a type. Its other members may be anything. */
export type TypedJson = JsonMembers & { type: string };

export const isMembers = (value: Json): value is JsonMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isTyped = (value: Json): value is TypedJson => isMembers(value) && typeof value.type === "string";

export const isEmpty = (members: JsonMembers): boolean => Object.keys(members).length === 0;

/** A text or number as a text; empty for anything else, which a stored document may have anywhere. */
export const textOf = (value: Json): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

/** The texts of a list of nodes, one after the other. */
export const textIn = (nodes: Json): string =>
  (Array.isArray(nodes) ? nodes : [])
    .filter(isMembers)
    .map(({ text, content }) => (typeof text === "string" ? text : textIn(content)))
    .join("");

/** A copy with some members changed; `undefined` removes one. */
export function withMembers(members: JsonMembers | null, changed: JsonMembers): JsonMembers | null {
  const next = { ...members, ...changed };
  for (const name of Object.keys(changed)) if (next[name] === undefined) delete next[name];
  return isEmpty(next) ? null : next;
}
