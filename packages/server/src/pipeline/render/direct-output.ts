// Output tags such as `{{ payload.name | upcase }}` rendered without the engine's generators, which take about four
// fifths of the time of such a tag. Reads, filters, escaping and charges are the engine's own and ours, in the same
// order, so both ways write the same text; a property in test/pipeline/render/liquid.test.ts compares them.
import {
  type Context,
  type Emitter,
  LiquidError,
  Output,
  RenderError,
  type Template,
  toValue,
  toValueSync,
} from "liquidjs";
import { type Filter, partsOf, plainTextOf, type Token } from "./liquid-internals.ts";

type Read = (context: Context) => unknown;

/** Writes one node of a template. */
export type Write = (context: Context, emitter: Emitter) => void;

/** How to write the node directly; null for a node that needs the engine. */
export function directWrite(template: Template): Write | null {
  const text = plainTextOf(template);
  if (text !== undefined) return (_, emitter) => emitter.write(text);
  const read = template instanceof Output ? readerOfOutput(template) : null;
  return read && ((context, emitter) => emitter.write(toValue(read(context))));
}

/** The errors of a node carry its position, as those of the engine do. */
export function toRenderError(error: unknown, template: Template): unknown {
  return LiquidError.is(error) ? error : new RenderError(error as Error, template);
}

function readerOfOutput(output: Output): Read | null {
  const { expression, filters } = partsOf(output);
  const initial = expression.length === 1 ? readerOf(expression[0]!) : null;
  return filters.reduce(filteredReader, initial);
}

function filteredReader(read: Read | null, { handler, args, token, liquid }: Filter): Read | null {
  const readers = args.map((arg) => readerOfArgument(arg));
  if (!read || readers.includes(null)) return null;
  return (context) => {
    const given = readers.map((reader) => reader!(context));
    // Filters that read members of list items are generators.
    return toValueSync(handler.apply({ context, token, liquid }, [read(context), ...given]) as never);
  };
}

function readerOfArgument(arg: Token | [string, Token]): Read | null {
  if (!Array.isArray(arg)) return readerOf(arg);
  const [name, token] = arg;
  const read = readerOf(token);
  return read && ((context) => [name, read(context)]);
}

/** A literal, or a variable with members whose names are literals. */
function readerOf(token: Token): Read | null {
  if ("content" in token) return () => token.content;
  const { props, variable } = token;
  if (!props || variable || !props.every((prop) => "content" in prop)) return null;
  const path = props.map(({ content }) => content as string);
  return (context) => context.getSync(path);
}
