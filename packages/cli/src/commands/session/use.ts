// `tidings use <environment>`: which of the stored logins the next commands use.
import type { Command } from "../../command.ts";
import { CliError } from "../../failure.ts";
import { readLogins, writeLogins } from "../../session.ts";

export const use: Command = {
  usage: "[environment]",
  about: "Without an argument: lists the stored environments. * marks the one in use.",
  example: "tidings use production",
  run: async ({ io, out, args: [wanted] }) => {
    const logins = readLogins(io);
    const names = Object.keys(logins.environments).sort();
    if (wanted === undefined) {
      if (names.length === 0) throw new CliError("No environment is stored.", { fix: "tidings login" });
      for (const name of names)
        out.line(`${name === logins.current ? "*" : " "} ${name}  ${logins.environments[name]!.url}`);
      return void out.json({ current: logins.current, environments: names });
    }
    if (!names.includes(wanted))
      throw new CliError(`There is no login for "${wanted}". Stored: ${names.join(", ") || "none"}.`, {
        fix: "tidings login",
      });
    writeLogins(io, { ...logins, current: wanted });
    out.line(`Commands use ${wanted} now.`);
    out.json({ current: wanted });
  },
};
