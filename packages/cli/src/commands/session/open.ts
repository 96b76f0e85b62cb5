// `tidings open [screen]`: the dashboard in the browser.
import { refuseMoreArguments } from "../../arguments.ts";
import { openInBrowser } from "../../browser.ts";
import type { Command } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";

export const open: Command = {
  usage: "[screen]",
  about:
    "Prints the address of the dashboard, or of a screen such as activity, workflows or subscribers. On a terminal, also opens it.",
  example: "tidings open activity",
  run: async (call) => {
    refuseMoreArguments(call, 1, "tidings open --help");
    const [screen = ""] = call.args;
    if (!/^[\w./-]*$/.test(screen))
      throw wrongUsage(`"${screen}" is not a screen such as activity.`, "tidings open activity");
    const { url } = await call.session();
    const address = `${url}/${screen.replace(/^\/+/, "")}`;
    call.out.line(address);
    call.out.json({ url: address });
    if (!call.out.isJson) openInBrowser(call.io, address);
  },
};
