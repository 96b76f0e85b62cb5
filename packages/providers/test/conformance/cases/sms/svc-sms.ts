import { messageId, providerCase } from "../../case.ts";

export default providerCase({
  id: "svc-sms",
  transport: "capture",
  message: { id: messageId, channel: "sms", to: "+14155552671", text: "Hi" },
});
