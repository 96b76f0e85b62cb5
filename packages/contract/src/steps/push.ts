import { closed, controls, defineStep, delivery, plainText, show, skip, skipEditor } from "./kit.ts";

export default defineStep({
  label: "Push",
  kind: "channel",
  position: 5,
  controls: controls({ skip, subject: plainText, body: plainText }, { required: ["subject", "body"] }),
  ui: {
    group: "PUSH",
    properties: { subject: show("PUSH_SUBJECT", ""), body: show("PUSH_BODY", ""), ...skipEditor },
  },
  results: () => closed(delivery),
});
