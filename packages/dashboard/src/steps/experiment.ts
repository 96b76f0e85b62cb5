import { defineStep, type Values } from "./kit.ts";

const variantsOf = ({ variants }: Values): { id?: string; name?: string; weight?: number }[] =>
  Array.isArray(variants) ? variants : [];

export default defineStep({
  icon: "flask",
  hasOwnForm: true,
  fields: [
    { path: "variants", label: "Variants", kind: "part" },
    { path: "holdOutPercent", label: "Hold out", kind: "part" },
    { path: "goals", label: "Goals", kind: "part" },
    { path: "seed", label: "Seed", kind: "part" },
  ],
  startValues: {
    variants: [
      { id: "a", name: "A", weight: 1 },
      { id: "b", name: "B", weight: 1 },
    ],
  },
  sampleResult: (_payload, _count, values) => ({ variant: variantsOf(values)[0]?.id }),
  summary: (values) => {
    const all = variantsOf(values);
    const total = all.reduce((sum, { weight = 1 }) => sum + weight, 0) || 1;
    const shares = all.map(({ id, name, weight = 1 }) => `${name || id} ${Math.round((weight / total) * 100)} %`);
    return shares.length === 0 ? "no variants yet" : shares.join(", ");
  },
});
