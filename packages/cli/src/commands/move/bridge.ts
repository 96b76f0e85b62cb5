// `tidings bridge sync <url>`: the service reads the workflows that the code at an address defines.
import type { Call, Command } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";

const example = "tidings bridge sync https://shop.example/api/novu";

export const bridge: Command = {
  usage: "sync <address>",
  about:
    "The service asks the address for its workflows, and creates or updates them, all or none. Run it with each release of your\n" +
    "code. Workflows that the code does not have any more are named and kept. See docs/bridge.md.",
  example,
  actions: ["sync"],
  run: async ({ args: [action, bridgeUrl, ...more], out, session, confirm }: Call) => {
    if (action !== "sync" || bridgeUrl === undefined || more.length > 0) {
      throw wrongUsage("bridge takes `sync` and one address.", example);
    }
    const { tidings, isProduction, environment } = await session();
    if (isProduction) await confirm(`Sync the workflows of ${bridgeUrl} into ${environment.name}?`);
    const result = await tidings.bridge.sync({ body: { bridgeUrl }, query: { source: "cli" } });
    for (const kind of ["created", "updated", "unchanged"] as const) {
      if (result[kind].length > 0) out.line(`${kind}: ${result[kind].join(", ")}`);
    }
    if (result.missing.length > 0) {
      out.line(
        `not in the code any more: ${result.missing.join(", ")}. They are kept; delete those that are not needed.`,
      );
    }
    if (result.created.length + result.updated.length + result.unchanged.length === 0) {
      out.line("The bridge has no workflows.");
    }
    out.json(result);
  },
};
