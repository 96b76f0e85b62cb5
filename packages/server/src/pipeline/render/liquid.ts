// Templates: LiquidJS with everything that reaches outside taken away, bounded in time and output. Templates are parsed
// once per text and cached. Values inserted into html are escaped unless marked `raw`.
import { Liquid, type Template, TokenizationError } from "liquidjs";
import { LRUCache } from "lru-cache";
import { filters } from "./filters.ts";

export type RenderTarget = "html" | "text";

const renderLimitMs = 2_000;
export const outputLimit = 5 * 1024 * 1024;

export class RenderFault extends Error {
  readonly position: string | undefined;
  constructor(message: string, position?: string) {
    super(message);
    this.position = position;
  }
}

function createEngine(target: RenderTarget): Liquid {
  const engine = new Liquid({
    outputEscape: target === "html" ? "escape" : undefined,
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    parseLimit: 1_000_000,
    renderLimit: renderLimitMs,
    memoryLimit: outputLimit * 4,
    // No template reads another: there are no files behind the service.
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
  // These evaluate an expression per item inside one filter, where the render limit is not looked at: two nested lists
  // of a payload would hold the process for minutes. They are no part of standard Liquid.
  for (const filter of Object.keys(engine.filters)) if (filter.endsWith("_exp")) delete engine.filters[filter];
  for (const [name, filter] of Object.entries(filters)) engine.registerFilter(name, filter);
  return engine;
}

/** Filters can cut a character in half or make a NUL, and the database takes neither in a text. */
const storable = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();

const engines: Record<RenderTarget, Liquid> = { html: createEngine("html"), text: createEngine("text") };

const parsed: Record<RenderTarget, LRUCache<string, Template[]>> = {
  html: new LRUCache<string, Template[]>({
    max: 5_000,
    maxSize: 64_000_000,
    sizeCalculation: (_, key) => key.length + 1,
  }),
  text: new LRUCache<string, Template[]>({
    max: 5_000,
    maxSize: 64_000_000,
    sizeCalculation: (_, key) => key.length + 1,
  }),
};

const isConstant = (template: string): boolean => !template.includes("{{") && !template.includes("{%");

/** Parses a template without running it; throws RenderFault with the position of the fault. */
export function checkTemplate(template: string, target: RenderTarget): void {
  if (!isConstant(template)) parseTemplate(template, target);
}

function parseTemplate(template: string, target: RenderTarget): Template[] {
  const cached = parsed[target].get(template);
  if (cached) return cached;
  try {
    const templates = engines[target].parse(template);
    parsed[target].set(template, templates);
    return templates;
  } catch (error) {
    throw toFault(error);
  }
}

export function render(template: string, scope: object, target: RenderTarget): string {
  if (isConstant(template)) return template;
  const templates = parseTemplate(template, target);
  let output: unknown;
  try {
    // `increment` and `decrement` write into the scope they are given.
    output = engines[target].renderSync(templates, { ...scope });
  } catch (error) {
    throw toFault(error);
  }
  const text = String(output ?? "");
  if (text.length > outputLimit) throw new RenderFault("output is larger than 5 MB");
  return storable(text);
}

/** Renders every text inside a JSON value: objects, lists, urls. */
export function renderDeep<T>(value: T, scope: object): T {
  if (typeof value === "string") return render(value, scope, "text") as T;
  if (Array.isArray(value)) return value.map((item) => renderDeep(item, scope)) as T;
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderDeep(item, scope)])) as T;
  }
  return value;
}

function toFault(error: unknown): RenderFault {
  const fault = error as Error & { token?: { getPosition?: () => [number, number] } };
  const position = fault.token?.getPosition?.();
  const words = error instanceof TokenizationError ? "syntax error" : "";
  const message = fault.message.split("\n")[0]!.replace(/, line:\d+, col:\d+$/, "");
  return new RenderFault(
    [words, message].filter(Boolean).join(": "),
    position && `line ${position[0]}, column ${position[1]}`,
  );
}
