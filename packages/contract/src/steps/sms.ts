import { closed, controls, defineStep, delivery, plainText, show, skip, skipEditor } from "./kit.ts";

export default defineStep({
  label: "SMS",
  kind: "channel",
  position: 3,
  controls: controls({ skip, body: plainText }, { required: ["body"] }),
  ui: { group: "SMS", properties: { body: show("SMS_BODY", ""), ...skipEditor } },
  results: () => closed(delivery),
});
