// Texts of several locales as one table of keys. Keys may be nested in one locale and written with dots in another;
// both are the same key. Pure.
export type Content = Record<string, unknown>;

export const defaultLocale = "en_US";

const isObject = (value: unknown): value is Content =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The texts of a locale by their dotted keys, each with its place. */
export function textsOf(content: Content, path: readonly string[] = []): Map<string, { path: string[]; text: string }> {
  const found = new Map<string, { path: string[]; text: string }>();
  for (const [name, value] of Object.entries(content)) {
    const place = [...path, name];
    if (isObject(value)) for (const [key, one] of textsOf(value, place)) found.set(key, one);
    else found.set(place.join("."), { path: place, text: typeof value === "string" ? value : JSON.stringify(value) });
  }
  return found;
}

/** A content with one text changed, or without it (`undefined`); objects that become empty are removed with it. */
function withText(content: Content, path: readonly string[], text: string | undefined): Content {
  const [name = "", ...rest] = path;
  const { [name]: inside, ...others } = content;
  if (rest.length > 0) {
    const changed = withText(isObject(inside) ? inside : {}, rest, text);
    return Object.keys(changed).length === 0 ? others : { ...content, [name]: changed };
  }
  return text === undefined ? others : { ...content, [name]: text };
}

/** Changes by dotted key; null removes the key. */
export type Edits = Readonly<Record<string, string | null>>;

/** The content with the changes: a key stays where it is, a new one goes where `model` has it, else by its dots. */
export function withEdits(content: Content, edits: Edits, model: Content): Content {
  let changed = content;
  for (const [key, text] of Object.entries(edits)) {
    const path = textsOf(changed).get(key)?.path ?? textsOf(model).get(key)?.path ?? key.split(".");
    changed = withText(changed, path, text ?? undefined);
  }
  return changed;
}

export type Change = { key: string; before: string | undefined; after: string | undefined };

/** What another content changes, key by key. */
export function changesOf(before: Content, after: Content): Change[] {
  const [old, next] = [textsOf(before), textsOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])].sort().flatMap((key) => {
    const change = { key, before: old.get(key)?.text, after: next.get(key)?.text };
    return change.before === change.after ? [] : [change];
  });
}
