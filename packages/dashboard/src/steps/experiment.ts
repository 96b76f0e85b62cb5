import { defineStep, type Values } from "./kit.ts";

const variantsOf = ({ variants }: Values): { id?: string; name?: string; weight?: number }[] =>
  Array.isArray(variants) ? variants : [];

export default defineStep({
  icon: "flask",
  fields: [
    { path: "variants", label: "Variants", hint: "Each with an id and a weight", kind: "json" },
    {
      path: "holdOutPercent",
      label: "Hold out, in per cent",
      hint: "These people get none of the steps behind the experiment",
      kind: "amount",
      isMore: true,
    },
    {
      path: "seed",
      label: "Seed",
      hint: "Decides who is in which variant. Empty: the identifiers of workflow and step",
      kind: "plain",
      isMore: true,
    },
    { path: "goals", label: "Goals", hint: "Names of the signals that count as a success", kind: "json", isMore: true },
  ],
  startValues: {
    variants: [
      { id: "a", weight: 1 },
      { id: "b", weight: 1 },
    ],
  },
  summary: (values) => {
    const all = variantsOf(values);
    const total = all.reduce((sum, { weight = 1 }) => sum + weight, 0) || 1;
    const shares = all.map(({ id, name, weight = 1 }) => `${name || id} ${Math.round((weight / total) * 100)} %`);
    return shares.length === 0 ? "no variants yet" : shares.join(", ");
  },
});
