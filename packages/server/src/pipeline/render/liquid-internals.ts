// What we use of LiquidJS that it does not declare as public. An upgrade that changes any of it breaks this file alone;
// its version is pinned exactly.
import type { Context, Output, Template } from "liquidjs";

/** A part of an expression: a literal has `content`; a variable has `props`, the names of its members. */
export type Token = { content?: unknown; variable?: unknown; props?: Token[] };

export type Filter = {
  handler: (...args: unknown[]) => unknown;
  args: (Token | [string, Token])[];
  token: unknown;
  liquid: unknown;
};

/** The text of a node that is plain text. */
export const plainTextOf = (template: Template): string | undefined => (template as { str?: string }).str;

/** The expression of an output tag, in postfix order, and its filters. */
export function partsOf({ value }: Output): { expression: Token[]; filters: Filter[] } {
  const { postfix } = value.initial as unknown as { postfix: Token[] };
  return { expression: postfix, filters: value.filters as unknown as Filter[] };
}

/** The scope that a variable belongs to. */
export const findScope = (context: Context, name: string): unknown =>
  // biome-ignore lint/complexity/useLiteralKeys: the engine declares it private.
  context["findScope"](name);

type Limiter = { use: (count: unknown) => void; check: () => void };
type Limits = { memoryLimit: Context["memoryLimit"]; renderLimit: Context["renderLimit"] };

/** The engine declares a class with private members, and calls these two functions. */
export const toLimits = (limits: { memoryLimit: Limiter; renderLimit: Limiter }): Limits => limits as unknown as Limits;
