import { isJsonObject } from "../schema.ts";
import { closed, controls, defineStep } from "./kit.ts";

export default defineStep({
  label: "Custom",
  kind: "custom",
  position: 9,
  controls: controls({ custom: { type: "object", additionalProperties: true } }),
  results: ({ controlValues: { custom } }) =>
    closed(Object.fromEntries(Object.keys(isJsonObject(custom) ? custom : {}).map((name) => [name, {}]))),
});
