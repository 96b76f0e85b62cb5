// Lists in the values of a step: arms, variants, headers, recipients. Pure.
import { identifierFrom } from "../../../fields/identifier.ts";

/** Moves an element of a list by one. */
export function shifted<T>(list: readonly T[], index: number, way: 1 | -1): T[] {
  const [one] = list.slice(index, index + 1);
  return one === undefined ? [...list] : list.toSpliced(index, 1).toSpliced(index + way, 0, one);
}

const maxIdLength = 60;

/** An id from a name that none of the others has. */
export function freeId(name: string, taken: readonly string[], fallback: string): string {
  const base = identifierFrom(name).slice(0, maxIdLength).replace(/-$/, "") || fallback;
  let id = base;
  for (let count = 2; taken.includes(id); count++) id = `${base}-${count}`;
  return id;
}
