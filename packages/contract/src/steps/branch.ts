import { armsOf, elseArm } from "../arms.ts";
import { closed, controls, defineStep, show, skip, skipEditor, text } from "./kit.ts";

const arm = {
  type: "object",
  additionalProperties: false,
  properties: {
    id: { ...text, maxLength: 64 },
    name: { type: "string", maxLength: 128 },
    condition: { type: "object", additionalProperties: true },
  },
  required: ["id", "condition"],
};

export default defineStep({
  label: "Branch",
  kind: "gate",
  position: 10,
  controls: controls({ skip, arms: { type: "array", minItems: 1, maxItems: 10, items: arm } }, { required: ["arms"] }),
  ui: { group: "BRANCH", properties: { arms: show("BRANCH_ARMS"), ...skipEditor } },
  results: ({ controlValues }) => {
    const ids = new Set([...armsOf({ controlValues }).map(({ id }) => id), elseArm]);
    return closed({ arm: { type: "string", enum: [...ids], description: "The id of the arm that is taken" } });
  },
});
