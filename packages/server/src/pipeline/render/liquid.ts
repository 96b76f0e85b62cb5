// Templates: LiquidJS without access to files and other templates, bounded in work and output (bounded-liquid.ts).
// Templates are parsed once per text and cached. Values inserted into HTML are escaped unless marked `raw`, values
// inserted into JSON unless they are JSON already (`| json`).
import { Liquid, type Template, TokenizationError } from "liquidjs";
import { LRUCache } from "lru-cache";
import { charge, OverBudgetError, withinBudget } from "../../lib/work.ts";
import {
  boundEngine,
  boundedContext,
  boundedOperators,
  escapeForJson,
  escapeOutput,
  renderNodes,
} from "./bounded-liquid.ts";
import { searchingFilters } from "./bounded-text.ts";
import { watched, watchedTemplate } from "./checks/watched-outputs.ts";
import { dateFilters } from "./dates.ts";
import { filters } from "./filters.ts";

export type RenderTarget = "html" | "text" | "json";

/** Limits of parsing, when a template is saved and when it is not in the cache: 5,000 tags take 20 to 50 ms. */
const maxTemplateLength = 1_000_000;
const maxTags = 5_000;
const maxTagCharacters = 100_000;

/** A place in a template; both count from 1. */
export type TemplatePlace = { line: number; column: number };

export class RenderError extends Error {
  readonly place: TemplatePlace | undefined;
  constructor(message: string, place?: TemplatePlace) {
    super(message);
    this.place = place;
  }
  /** The place in words. */
  get position(): string | undefined {
    return this.place && `line ${this.place.line}, column ${this.place.column}`;
  }
}

const escapes = { html: escapeOutput, text: undefined, json: escapeForJson };

function createEngine(target: RenderTarget): Liquid {
  const engine = new Liquid({
    outputEscape: escapes[target],
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    parseLimit: maxTemplateLength,
    operators: boundedOperators,
    // No template can include another.
    relativeReference: false,
    fs: {
      exists: async () => false,
      existsSync: () => false,
      readFile: async () => "",
      readFileSync: () => "",
      resolve: (_root, file) => file,
    },
  });
  for (const tag of ["include", "render", "layout", "block"]) delete engine.tags[tag];
  // These filters evaluate a text as an expression, and are not part of standard Liquid.
  for (const filter of Object.keys(engine.filters)) if (filter.endsWith("_exp")) delete engine.filters[filter];
  for (const [name, filter] of Object.entries({
    ...filters,
    ...dateFilters,
    ...searchingFilters,
    block_watched: watched,
  }))
    engine.registerFilter(name, filter);
  // In a JSON text its output is not escaped again.
  if (target === "json")
    for (const name of ["json", "jsonify"]) engine.registerFilter(name, { raw: true, handler: toJson });
  boundEngine(engine);
  return engine;
}

/** A value that is missing is written as null. */
const toJson = (value: unknown, space = 0): string => JSON.stringify(value ?? null, null, space);

/** Filters can split a surrogate pair or produce a NUL; PostgreSQL rejects both. */
const toStorableText = (text: string): string =>
  (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();

const engines: Record<RenderTarget, Liquid> = {
  html: createEngine("html"),
  text: createEngine("text"),
  json: createEngine("json"),
};

/** A parsed template takes about a kilobyte per tag. */
const createCache = () =>
  new LRUCache<string, Template[]>({
    max: 5_000,
    maxSize: 64_000_000,
    sizeCalculation: (_, text) => 2 * text.length + 1_000 * (1 + tagsOf(text).tags),
  });

const parsed: Record<RenderTarget, LRUCache<string, Template[]>> = {
  html: createCache(),
  text: createCache(),
  json: createCache(),
};

const isConstant = (template: string): boolean => !template.includes("{{") && !template.includes("{%");

/** Parses a template without rendering it; throws RenderError with the position of the error. */
export function checkTemplate(template: string, target: RenderTarget): void {
  if (!isConstant(template)) parseTemplate(template, target);
}

function parseTemplate(template: string, target: RenderTarget): Template[] {
  const cached = parsed[target].get(template);
  if (cached) return cached;
  const { tags, inside } = tagsOf(template);
  if (tags > maxTags)
    throw new RenderError(`the template is too long to be rendered: it has more than ${maxTags} tags`);
  if (inside > maxTagCharacters) {
    throw new RenderError(
      `the template is too long to be rendered: its tags have more than ${maxTagCharacters} characters`,
    );
  }
  try {
    const templates = engines[target].parse(template);
    parsed[target].set(template, templates);
    return templates;
  } catch (error) {
    throw toFault(error);
  }
}

/** The number of tags in a template, and of characters inside them. */
function tagsOf(template: string): { tags: number; inside: number } {
  let [tags, inside] = [0, 0];
  for (let start = template.indexOf("{"); start !== -1; start = template.indexOf("{", start)) {
    const sign = template[start + 1];
    if (sign !== "{" && sign !== "%") {
      start += 1;
      continue;
    }
    const end = template.indexOf(sign === "{" ? "}}" : "%}", start + 2);
    const next = end === -1 ? template.length : end + 2;
    tags += 1;
    inside += next - start;
    start = next;
  }
  return { tags, inside };
}

/** Instead of a scope, for texts that are not templates: a bridge has rendered them, and they are used unchanged. */
export const literalScope: object = Object.freeze({});

/** All templates of a step share its budget of work; outside of a step, each has its own. */
export function render(template: string, scope: object, target: RenderTarget): string {
  try {
    return withinBudget(() => {
      charge(5 + template.length / 64);
      if (scope === literalScope || isConstant(template)) return template;
      const engine = engines[target];
      const templates = parseTemplate(watchedTemplate(template), target);
      const output = renderNodes(engine, templates, boundedContext(engine, scope));
      return toStorableText(String(output ?? ""));
    });
  } catch (error) {
    throw toFault(error);
  }
}

/** Charges work on rendered output, such as sanitising it. */
export function chargeRender(units: number): void {
  try {
    charge(units);
  } catch (error) {
    throw toFault(error);
  }
}

/** Renders every text inside a JSON value: objects, lists, urls. */
export function renderDeep<T>(value: T, scope: object): T {
  if (typeof value === "string") return render(value, scope, "text") as T;
  if (Array.isArray(value)) return value.map((item) => renderDeep(item, scope)) as T;
  if (value !== null && typeof value === "object") {
    chargeRender(10 * Object.keys(value).length);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderDeep(item, scope)])) as T;
  }
  return value;
}

type EngineError = Error & { originalError?: unknown; token?: { getPosition?: () => [number, number] } };

const isOverBudget = (error: unknown): boolean =>
  error instanceof OverBudgetError ||
  (error instanceof Error && (error as EngineError).originalError !== undefined
    ? isOverBudget((error as EngineError).originalError)
    : false);

function toFault(error: unknown): RenderError {
  if (error instanceof RenderError) return error;
  const fault = error as EngineError;
  const position = fault.token?.getPosition?.();
  const words =
    error instanceof TokenizationError ? "syntax error" : isOverBudget(error) ? "render limit exceeded" : "";
  const message = fault.message.split("\n")[0]!.replace(/, line:\d+, col:\d+$/, "");
  return new RenderError(
    [words, message].filter(Boolean).join(": "),
    position && { line: position[0], column: position[1] },
  );
}
