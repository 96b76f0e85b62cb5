// `tidings bridge sync <url>`: the service reads the workflows that the code at an address defines.
import type { Call, Command } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";

const example = "tidings bridge sync https://shop.example/api/novu";

export const bridge: Command = {
  usage: "sync <address>",
  about:
    "The service fetches the workflows from the URL and creates or updates them, all or none. Run it with each release of your\n" +
    "code. Workflows that are no longer in the code are listed and kept. See docs/bridge.md.",
  example,
  actions: ["sync"],
  run: async ({ args: [action, bridgeUrl, ...more], out, session, confirm }: Call) => {
    if (action !== "sync" || bridgeUrl === undefined || more.length > 0) {
      throw wrongUsage("bridge expects `sync` and one URL.", example);
    }
    const { tidings, isProduction, environment } = await session();
    if (isProduction) await confirm(`Sync the workflows of ${bridgeUrl} into ${environment.name}?`);
    const result = await tidings.bridge.sync({ body: { bridgeUrl }, query: { source: "cli" } });
    for (const kind of ["created", "updated", "unchanged"] as const) {
      if (result[kind].length > 0) out.line(`${kind}: ${result[kind].join(", ")}`);
    }
    if (result.missing.length > 0) {
      out.line(`no longer in the code: ${result.missing.join(", ")}. They are kept; delete those that are not needed.`);
    }
    if (result.created.length + result.updated.length + result.unchanged.length === 0) {
      out.line("The bridge has no workflows.");
    }
    out.json(result);
  },
};
