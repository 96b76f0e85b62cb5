import { closed, controls, defineStep, delivery, plainText, show, skip, skipEditor } from "./kit.ts";

export default defineStep({
  label: "Chat",
  kind: "channel",
  position: 4,
  controls: controls({ skip, body: plainText }, { required: ["body"] }),
  ui: { group: "CHAT", properties: { body: show("CHAT_BODY", ""), ...skipEditor } },
  results: () => closed(delivery),
});
