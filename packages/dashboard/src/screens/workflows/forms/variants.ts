// The variants of an experiment. Pure.
import type { Values } from "../editor/model.ts";

/** As the service names those who are held out. */
export const heldOutVariant = "held-out";

export type Variant = { id: string; name?: string; weight?: number };

export function variantsOf({ variants }: Values): Variant[] {
  return Array.isArray(variants) ? variants.filter((one): one is Variant => typeof one?.id === "string") : [];
}

/** The share of all people, with one decimal where it is needed. */
export function shareOf({ weight = 1 }: Variant, all: readonly Variant[], holdOut: number): string {
  const total = all.reduce((sum, one) => sum + (one.weight ?? 1), 0);
  const share = total === 0 ? 0 : (weight / total) * (100 - holdOut);
  return `${Number(share.toFixed(1))} %`;
}
