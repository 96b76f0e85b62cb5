// `tidings sign-in`: a link for the operator of the machine, when the first link or the password of an owner is lost.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { loadOperate } from "../../server-bundle.ts";

export const signIn: Command = {
  usage: "",
  about:
    "Prints a link that signs you in to the dashboard as an owner, once, within 24 hours. Earlier links stop working. Runs where the\n" +
    "service is installed, while it runs, with its settings (DATABASE_URL …).",
  example: "tidings sign-in",
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings sign-in --help");
    const { io, out } = call;
    const operate = await loadOperate("sign-in");
    const link = await operate.createSignInLink(io.env);
    out.line(link);
    out.json({ link });
  },
};
