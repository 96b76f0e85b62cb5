// The cost of each Liquid filter, by the length of its text or the number of its items. The prices are for the worst
// case, measured with texts in which every character has to be replaced.
import type { FilterImplOptions } from "liquidjs";
import { valueAt } from "../../lib/json.ts";
import { charge, chargeSize } from "../../lib/work.ts";

type Handler = Extract<FilterImplOptions, (...args: never[]) => unknown>;

const callCost = 60;

/** Units per character of the input. */
const textPrices: Record<string, number> = {
  ...pricesOf(0, ["size", "first", "last", "default", "raw", "plural", "block_shown"]),
  ...pricesOf(1 / 16, ["append", "prepend", "upcase", "downcase", "capitalize", "strip", "lstrip", "rstrip", "slice"]),
  ...pricesOf(1 / 8, ["truncate", "date", "join", "pluralize"]),
  ...pricesOf(1 / 2, ["json", "jsonify", "inspect"]),
  ...pricesOf(2, ["strip_html"]),
  ...pricesOf(6, ["escape", "escape_once", "xml_escape", "url_encode", "url_decode", "cgi_escape", "uri_escape"]),
};
const textPrice = 1;

/** Units per item of a list. Filters that read a member of each item parse its path each time. */
const itemPrices: Record<string, number> = {
  ...pricesOf(0, ["size", "first", "last", "default", "raw", "plural", "pluralize", "block_shown"]),
  ...pricesOf(2, ["reverse", "concat", "push", "pop", "shift", "unshift", "compact", "slice"]),
  ...pricesOf(60, ["json", "jsonify", "inspect"]),
  ...pricesOf(100, ["map", "sum", "toSentence", "sort", "sort_natural"]),
  ...pricesOf(250, ["where", "reject", "find", "find_index", "has", "group_by"]),
};
const itemPrice = 10;

function pricesOf(price: number, names: string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, price]));
}

export function boundedFilter(name: string, filter: Handler): Handler {
  const perCharacter = textPrices[name] ?? textPrice;
  const perItem = itemPrices[name] ?? itemPrice;
  const chargeMore = extraCharges[name];
  return function (value: unknown, ...given: unknown[]) {
    const args = name === "slice" ? sliceWithin(value, given) : given;
    charge(callCost);
    chargeSize(value, perCharacter, perItem);
    for (const arg of args) chargeSize(arg, perCharacter, perItem);
    if (Array.isArray(value) && perItem >= 100) charge(value.length * lengthOf(args));
    chargeMore?.(value, args);
    return filter.call(this, value, ...args);
  };
}

const lengthOf = (args: unknown[]): number =>
  args.reduce<number>((sum, arg) => sum + (typeof arg === "string" || Array.isArray(arg) ? arg.length : 1), 0) / 4;

/** Limits the length to the size of the value, because the engine charges the requested length. */
function sliceWithin(value: unknown, [begin, length = 1]: unknown[]): unknown[] {
  const size = typeof value === "string" || Array.isArray(value) ? value.length : 100;
  return [begin, typeof length === "number" ? Math.min(length, size) : length];
}

/** Sorting n items compares each about log2(n) times. */
function chargeSort(value: unknown, [path]: unknown[], perCharacter: number): void {
  if (!Array.isArray(value)) return;
  const rounds = Math.log2(value.length + 1);
  for (const item of value) {
    const key = path === undefined || path === null ? item : valueAt(item, String(path));
    charge(rounds * 10);
    chargeSize(key, rounds * perCharacter, rounds * 10);
  }
}

/** Parts in the style of a language, for which JavaScript creates a formatter. */
const localizedParts = new Set("cxX");
/** Reads the value, and finds out the offset of its zone. */
const dateCost = 1_500;

function chargeDate(_: unknown, [format]: unknown[]): void {
  charge(dateCost);
  for (const [, letter] of String(format ?? "%b %d, %Y").matchAll(/%[-_0^#:\d]*[EO]?(.)/g)) {
    charge(localizedParts.has(letter!) ? 5_500 : 50);
  }
}

const chargeNamedDate = (): void => charge(dateCost + 300);

const extraCharges: Record<string, (value: unknown, args: unknown[]) => void> = {
  sort: (value, args) => chargeSort(value, args, 1 / 16),
  sort_natural: (value, args) => chargeSort(value, args, 2),
  sample: (value) => chargeSort(value, [], 0),
  date: chargeDate,
  date_to_xmlschema: chargeNamedDate,
  date_to_string: chargeNamedDate,
  date_to_long_string: chargeNamedDate,
  date_to_rfc822: chargeNamedDate,
};
