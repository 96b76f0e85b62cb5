// The built-in development mailbox: what would have been sent is kept and shown, and nothing leaves the service.

import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";

export default defineProvider({
  id: "svc-slack",
  channel: "chat",
  name: "Development mailbox (chat)",
  credentials: {},
  capture: true,
  takesExtras: false,
  send: async (message, _credentials, io) => {
    await io.capture(message);
    return accepted(message.id);
  },
});
