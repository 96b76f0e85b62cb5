// Classic conditions: groups of comparisons over payload, subscriber and tenant, on integrations and on steps. Every
// group has to pass. A value may be a template, which is rendered before it is compared. A missing field equals no
// value, and is in no list and no range.
import type { StepFilter } from "@tidings/contract";
import { canonicalJson, valueAt } from "../../lib/json.ts";
import { indexIn } from "../../lib/text/text-search.ts";
import { charge } from "../../lib/work.ts";
import { render } from "../render/liquid.ts";

type Part = StepFilter["children"][number];

export type FilterScope = { payload: object; subscriber: object | null; tenant: object | null };

/** The same groups with their templates rendered. Throws RenderError. */
export function renderFilters(filters: readonly StepFilter[], scope: FilterScope): StepFilter[] {
  return filters.map((group) => ({
    ...group,
    children: group.children.map((part) => ({ ...part, value: render(part.value, scope, "text") })),
  }));
}

export const passesFilters = (filters: readonly StepFilter[], scope: FilterScope): boolean =>
  filters.every((group) => passesGroup(group, scope));

/** A group without children always passes, even when negated. */
function passesGroup({ children, value, isNegated }: StepFilter, scope: FilterScope): boolean {
  if (children.length === 0) return true;
  const passes = (part: Part) => passesPart(part, scope);
  return (value === "OR" ? children.some(passes) : children.every(passes)) !== isNegated;
}

function passesPart({ on, field, operator, value }: Part, scope: FilterScope): boolean {
  const found = valueAt(scope[on], field) ?? undefined;
  switch (operator) {
    case "EQUAL":
      return isEqual(found, value);
    case "NOT_EQUAL":
      return !isEqual(found, value);
    case "LARGER":
      return comparesAs(found, value, (order) => order > 0);
    case "LARGER_EQUAL":
      return comparesAs(found, value, (order) => order >= 0);
    case "SMALLER":
      return comparesAs(found, value, (order) => order < 0);
    case "SMALLER_EQUAL":
      return comparesAs(found, value, (order) => order <= 0);
    case "IN":
      return isIn(found, listOf(value));
    case "NOT_IN":
      return !isIn(found, listOf(value));
    case "ANY_IN":
      return itemsOf(found).some((item) => isIn(item, listOf(value)));
    case "ALL_IN":
      return itemsOf(found).length > 0 && itemsOf(found).every((item) => isIn(item, listOf(value)));
    case "BETWEEN":
      return isBetween(found, listOf(value));
    case "NOT_BETWEEN":
      return !isBetween(found, listOf(value));
    case "LIKE":
      return isLike(found, value);
    case "NOT_LIKE":
      return !isLike(found, value);
  }
}

function listOf(value: string): string[] {
  charge(value.length);
  return value.split(",").map((part) => part.trim());
}

/** A field that holds one value is a list of one. */
function itemsOf(found: unknown): unknown[] {
  if (found === undefined) return [];
  return Array.isArray(found) ? found : [found];
}

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : canonicalJson(value);
  charge(10 + text.length / 4);
  return text;
}

const number = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && number.test(value.trim()) ? Number(value) : null;
}

/** A date, or a date with a time; other texts that `Date.parse` would accept stay texts. */
const date = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

function timeOf(value: unknown): number | null {
  if (typeof value !== "string" || !date.test(value.trim())) return null;
  const time = Date.parse(value.trim());
  return Number.isNaN(time) ? null : time;
}

/** Negative, zero or positive: the field compared with the value as numbers, as times, or else as texts. */
function orderOf(found: unknown, value: string): number {
  for (const read of [numberOf, timeOf]) {
    const [left, right] = [read(found), read(value)];
    if (left !== null && right !== null) return left - right;
  }
  const text = textOf(found);
  if (text === value) return 0;
  return text < value ? -1 : 1;
}

const comparesAs = (found: unknown, value: string, test: (order: number) => boolean): boolean =>
  found !== undefined && test(orderOf(found, value));

const isEqual = (found: unknown, value: string): boolean => comparesAs(found, value, (order) => order === 0);

function isIn(found: unknown, list: string[]): boolean {
  charge(list.length * 20);
  return list.some((item) => isEqual(found, item));
}

function isBetween(found: unknown, ends: string[]): boolean {
  const [from, to] = ends;
  if (found === undefined || ends.length !== 2) return false;
  return orderOf(found, from!) >= 0 && orderOf(found, to!) <= 0;
}

const isLike = (found: unknown, value: string): boolean =>
  found !== undefined && indexIn(textOf(found).toLowerCase(), value.toLowerCase()) !== -1;
