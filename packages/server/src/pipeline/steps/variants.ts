// Which variant of an experiment a person is in: a hash of the experiment, the variant and the person, so that the same
// person gets the same variant at any time and on any machine, and nothing has to be stored for it. Pure.
import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../../lib/json.ts";

export type Variant = { id: string; weight: number };

/** The variants that can be chosen, in their order; a weight that is absent is 1. */
export function readVariants({ variants }: JsonObject): Variant[] {
  if (!Array.isArray(variants)) return [];
  return variants.flatMap((one): Variant[] => {
    if (!isObject(one) || typeof one.id !== "string") return [];
    const weight = one.weight ?? 1;
    return typeof weight === "number" && weight > 0 ? [{ id: one.id, weight }] : [];
  });
}

/**
 * What the hash knows the experiment by. Identifiers are the same in every environment, so a published workflow gives a
 * person the same variant there. A step or workflow with a new identifier is a new experiment, unless `seed` says which
 * one it continues.
 */
export const experimentName = (workflowId: string, stepId: string, { seed }: JsonObject): string =>
  typeof seed === "string" && seed !== "" ? seed : `${workflowId}/${stepId}`;

/** Between 0 and 1, both excluded. */
function hashOf(...parts: string[]): number {
  const bytes = createHash("sha256").update(JSON.stringify(parts)).digest();
  return (bytes.readUIntBE(0, 6) + 0.5) / 2 ** 48;
}

/**
 * Weighted rendezvous hashing: each variant draws a number for the person, and the smallest wins. A change of one
 * weight moves people only into or out of that variant, and as few as the new shares need. Null without variants.
 */
export function chooseVariant(experiment: string, person: string, variants: readonly Variant[]): string | null {
  let chosen: { id: string; draw: number } | null = null;
  for (const { id, weight } of variants) {
    const draw = -Math.log(hashOf(experiment, id, person)) / weight;
    if (!chosen || draw < chosen.draw) chosen = { id, draw };
  }
  return chosen?.id ?? null;
}

/**
 * A larger share holds everyone out that a smaller one does. The hash has two parts, those of variants have three, so
 * it says nothing about the variant of a person.
 */
export const isHeldOut = (experiment: string, person: string, percent: number): boolean =>
  percent > 0 && hashOf(experiment, person) * 100 < percent;
