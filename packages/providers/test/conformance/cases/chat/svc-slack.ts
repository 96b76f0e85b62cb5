import { messageId, providerCase } from "../../case.ts";

export default providerCase({
  id: "svc-slack",
  transport: "capture",
  message: { id: messageId, channel: "chat", target: { kind: "user", user: "U0G9QF9C6" }, text: "Hi" },
});
