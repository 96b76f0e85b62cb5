// `tidings logout [environment]`: forgets a stored key, or all of them. The key itself stays valid.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { CliError, wrongUsage } from "../../failure.ts";
import { chooseLogin, loginsFile, nameOf, readLogins, writeLogins } from "../../logins.ts";

export const logout: Command = {
  usage: "[environment] [--all]",
  about:
    "Forgets the stored key of the environment in use, of the one named, or all keys with --all. The key stays valid: to end\n" +
    "it, revoke it in the dashboard.",
  example: "tidings logout production",
  options: {
    all: { type: "boolean", about: "Forget every stored key" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 1, "tidings logout --help");
    const { io, out, values } = call;
    const [wanted] = call.args;
    if (wanted !== undefined && values.all) throw wrongUsage("Name an environment or give --all, not both.");
    const logins = readLogins(io);
    const name = wanted ?? (values.env as string | undefined);
    const one = name === undefined ? logins.current : chooseLogin(logins, name, io.env.TIDINGS_URL);
    const gone = values.all ? logins.all : one ? [one] : [];
    if (gone.length === 0) throw new CliError("No environment is stored.", { fix: "tidings use lists them." });
    const names = gone.map((login) => nameOf(login, logins.all));
    const all = logins.all.filter((login) => !gone.includes(login));
    const current = logins.current && all.includes(logins.current) ? logins.current : null;
    writeLogins(io, { current, all });
    out.line(`Forgot ${names.join(", ")} in ${loginsFile(io)}.`);
    out.json({ forgotten: names });
  },
};
