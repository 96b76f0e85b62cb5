import { defineStep } from "./kit.ts";

export default defineStep({
  icon: "code",
  fields: [{ path: "custom", label: "Values for your code", kind: "json" }],
  summary: () => "",
});
