import { closed, controls, defineStep, show, skip, skipEditor, text } from "./kit.ts";

/** The variant of people who are held out: they get none of the steps behind the experiment. */
export const heldOutVariant = "held-out";

const variant = {
  type: "object",
  additionalProperties: false,
  properties: {
    id: { ...text, maxLength: 64 },
    name: { type: "string", maxLength: 128 },
    weight: { type: "integer", minimum: 0, maximum: 1_000, default: 1 },
  },
  required: ["id"],
};

export default defineStep({
  label: "Experiment",
  kind: "gate",
  position: 11,
  controls: controls(
    {
      skip,
      variants: { type: "array", minItems: 2, maxItems: 10, items: variant },
      holdOutPercent: { type: "integer", minimum: 0, maximum: 99, default: 0 },
      seed: { type: "string", maxLength: 128 },
      goals: { type: "array", maxItems: 5, items: { ...text, maxLength: 128 } },
    },
    { required: ["variants"] },
  ),
  ui: {
    group: "EXPERIMENT",
    properties: {
      variants: show("EXPERIMENT_VARIANTS"),
      holdOutPercent: show("EXPERIMENT_HOLD_OUT", 0),
      goals: show("EXPERIMENT_GOALS"),
      seed: show("EXPERIMENT_SEED"),
      ...skipEditor,
    },
  },
  results: ({ controlValues: { variants } }) => {
    const given = Array.isArray(variants) ? variants : [];
    const ids = new Set(given.map((one) => one?.id).filter((id) => typeof id === "string"));
    return closed({ variant: { type: "string", enum: [...ids], description: "The variant that the person is in" } });
  },
});
