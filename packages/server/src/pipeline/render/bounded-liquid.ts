// LiquidJS with a cost for every operation, charged in advance to the budget of the step (lib/work.ts). The limits of
// the engine itself are not enough: they measure time, which differs between machines, and do not cover comparisons,
// filters and long expressions. The prices are measured; a unit is at most about 20 ns on a slow core.
import { Context, Drop, defaultOperators, type Emitter, type Liquid, type Template, toValue } from "liquidjs";
import { charge, chargeSize } from "../../lib/work.ts";
import { boundedFilter } from "./bounded-filters.ts";
import { outputText, searchIn } from "./bounded-text.ts";
import { directWrite, toRenderError, type Write } from "./direct-output.ts";
import { findScope, toLimits } from "./liquid-internals.ts";

const listCost = 45;
const htmlCost = 10;
const tagCosts = { node: 70, token: 60 };
/** Output tags that need no generators (direct-output.ts). */
const outputCosts = { node: 20, token: 15 };

/** Makes an engine charge for everything it renders. Filters have to be registered before. */
export function boundEngine(engine: Liquid): void {
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (typeof filter === "function") engine.filters[name] = boundedFilter(name, filter);
    else if (filter?.handler) engine.filters[name] = { ...filter, handler: boundedFilter(name, filter.handler) };
  }
  // Every tag renders its content through this function, once per iteration of a loop, even when it is empty.
  engine.renderer.renderTemplates = renderTemplates;
}

/** Renders the nodes of a template or of a tag; a generator, because tags are. Charges them all in advance. */
function* renderTemplates(templates: Template[], context: Context, emitter: Emitter = createEmitter()) {
  const { weight, nodes } = planOf(templates);
  charge(weight);
  for (const { template, write } of nodes) {
    if (write) {
      writeNode(template, write, context, emitter);
      continue;
    }
    try {
      const html: unknown = yield template.render(context, emitter);
      if (html) emitter.write(html);
      if (context.breakCalled || context.continueCalled) break;
    } catch (error) {
      throw toRenderError(error, template);
    }
  }
  return emitter.buffer;
}

/** Renders a template; one whose nodes are all written directly needs no generator. */
export function renderNodes(engine: Liquid, templates: Template[], context: Context): unknown {
  const { weight, nodes, isDirect } = planOf(templates);
  if (!isDirect) return engine.renderSync(templates, context);
  charge(weight);
  const emitter = createEmitter();
  for (const { template, write } of nodes) writeNode(template, write!, context, emitter);
  return emitter.buffer;
}

function writeNode(template: Template, write: Write, context: Context, emitter: Emitter): void {
  try {
    write(context, emitter);
  } catch (error) {
    throw toRenderError(error, template);
  }
}

/** The scope is copied, because `increment` and `decrement` write to it. */
export const boundedContext = (engine: Liquid, scope: object): Context =>
  new BoundedContext({ ...scope }, engine.options, { sync: true }, { ...limits, liquid: engine });

/** The memory that the engine counts itself (ranges, padded numbers, JSON) is charged to the same budget. */
const limits = toLimits({
  memoryLimit: { use: (count: unknown) => charge(Number(count) / 2), check: () => {} },
  renderLimit: { use: () => {}, check: () => {} },
});

type Path = Parameters<Context["_get"]>[0];
type Readable = Parameters<Context["readProperty"]>[0];

/** A class, because the engine reads every variable through a subclass of Context. */
class BoundedContext extends Context {
  /** Every read ends here. The engine's own functions are generators, for values that are promises; ours are not. */
  #read(from: unknown, path: Path): unknown {
    let value = from;
    for (const name of path) value = this.readProperty(value as Readable, name);
    chargeRead(value);
    return value;
  }

  override getSync(path: Path): unknown {
    return this.#read(findScope(this, path[0] as string), path);
  }

  // biome-ignore lint/correctness/useYield: the engine expects an iterator.
  override *_get(path: Path): IterableIterator<unknown> {
    return this.getSync(path);
  }

  // biome-ignore lint/correctness/useYield: the engine expects an iterator.
  override *_getFromScope(scope: unknown, path: Path | string): IterableIterator<unknown> {
    return this.#read(scope, typeof path === "string" ? path.split(".") : path);
  }

  override spawn(scope: object = {}): Context {
    return new BoundedContext(scope, this.opts, { sync: true }, { ...limits, liquid: this.liquid });
  }

  override readProperty(object: Readable, key: Path[number]) {
    // The engine counts the members of an object on every read of `size`.
    if (key === "size" && isPlain(object)) charge(memberCount(object) * 6);
    return super.readProperty(object, key);
  }
}

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Drop);

const memberCounts = new WeakMap<object, number>();

function memberCount(value: object): number {
  let count = memberCounts.get(value);
  if (count === undefined) {
    count = Object.keys(value).length;
    memberCounts.set(value, count);
  }
  return count;
}

/** Every value that is read will be compared, copied or written. */
function chargeRead(value: unknown): void {
  if (typeof value === "string") charge(value.length / 32);
  else if (Array.isArray(value)) charge(value.length / 3);
  else if (isPlain(value)) charge(memberCount(value) * 10);
}

/** `weight` is the maximum cost of rendering the nodes once, without the values that they read. */
type Plan = { weight: number; nodes: { template: Template; write: Write | null }[]; isDirect: boolean };

const plans = new WeakMap<Template[], Plan>();

function planOf(templates: Template[]): Plan {
  let plan = plans.get(templates);
  if (plan === undefined) {
    const nodes = templates.map((template) => ({ template, write: directWrite(template) }));
    const weight = nodes.reduce((sum, { template, write }) => sum + weigh(template, write !== null), listCost);
    plan = { weight, nodes, isDirect: nodes.every(({ write }) => write !== null) };
    plans.set(templates, plan);
  }
  return plan;
}

type WeighedTemplate = Template & { str?: string; tokens?: unknown[]; arguments?: () => Iterable<unknown> };

function weigh(template: WeighedTemplate, isDirect: boolean): number {
  const { str, token, tokens = [] } = template;
  if (str !== undefined) return htmlCost;
  const expressions = [...(template.arguments?.() ?? [])].reduce<number>((sum, one) => sum + countTokens(one), 0);
  const costs = isDirect ? outputCosts : tagCosts;
  return costs.node + (token.end - token.begin) / 8 + costs.token * (expressions + tokens.length);
}

type AnyToken = { initial?: { postfix: unknown[] }; filters?: unknown[]; props?: unknown[]; args?: unknown[] } & {
  lhs?: unknown;
  rhs?: unknown;
  variable?: unknown;
};

/** The number of values, members, operators and filters in an expression. */
function countTokens(token: unknown): number {
  if (Array.isArray(token)) return countTokens(token[1]);
  if (typeof token !== "object" || token === null) return 0;
  const { initial, filters = [], props = [], args = [], lhs, rhs, variable } = token as AnyToken;
  const inside = [...(initial?.postfix ?? []), ...filters, ...props, ...args, lhs, rhs, variable];
  return inside.reduce<number>((sum, part) => sum + countTokens(part), 1);
}

export const outputLimit = 5 * 1024 * 1024;

/** Collects output; each `capture` has its own. */
function createEmitter(): Emitter {
  return {
    buffer: "",
    write(html: unknown) {
      const text = outputText(html);
      charge(text.length / 32);
      if (this.buffer.length + text.length > outputLimit) throw new RangeError("output is larger than 5 MB");
      this.buffer += text;
    },
  };
}

const signs: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };

/**
 * Units per escaped character. A long text is charged in advance as if it had no others, a short one by what was
 * escaped.
 */
const signCost = 8;

export function escapeOutput(value: unknown): string {
  const text = outputText(value);
  charge(5 + text.length * (text.length > 1_000 ? signCost : 1 / 16));
  const escaped = text.replace(/[&<>"']/g, (sign) => signs[sign]!);
  // A sign becomes at least three characters longer.
  if (text.length <= 1_000) charge(((escaped.length - text.length) / 3) * signCost);
  return escaped;
}

/** Inside a JSON text: a text is written as the content of a JSON string, everything else as JSON. */
export function escapeForJson(value: unknown): string {
  chargeSize(value, signCost, listCost);
  if (typeof value === "object" && value !== null && !(value instanceof Drop)) return JSON.stringify(value);
  return JSON.stringify(outputText(value)).slice(1, -1);
}

type Operators = typeof defaultOperators;

/** Charges for comparing lists; texts were charged when they were read. */
const compared =
  (operator: Operators[string]): Operators[string] =>
  (left, right, context) => {
    chargeSize(left, 0, 10);
    chargeSize(right, 0, 10);
    return operator(left, right, context);
  };

export const boundedOperators: Operators = {
  ...defaultOperators,
  ...Object.fromEntries(["==", "!=", ">", "<", ">=", "<="].map((sign) => [sign, compared(defaultOperators[sign]!)])),
  contains: (left, right, context) => {
    const [whole, part] = [toValue(left), toValue(right)];
    if (typeof whole === "string") return searchIn(whole, part);
    if (Array.isArray(whole)) charge(whole.length * (30 + (typeof part === "string" ? part.length / 16 : 0)));
    return compared(defaultOperators.contains!)(left, right, context);
  },
};
