// `tidings use <environment>`: which of the stored logins the next commands use.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { CliError } from "../../failure.ts";
import { chooseLogin, nameOf, readLogins, writeLogins } from "../../logins.ts";

export const use: Command = {
  usage: "[environment]",
  about:
    "Without an argument: lists the stored environments. * marks the one in use. Where two services have an environment of one name,\n" +
    "the address is part of it: production@https://tidings.example.com.",
  example: "tidings use production",
  run: async (call) => {
    refuseMoreArguments(call, 1, "tidings use --help");
    const { io, out } = call;
    const [wanted] = call.args;
    const logins = readLogins(io);
    const names = logins.all.map((one) => nameOf(one, logins.all)).sort();
    if (wanted === undefined) {
      if (names.length === 0) throw new CliError("No environment is stored.", { fix: "tidings login" });
      for (const one of logins.all)
        out.line(`${one === logins.current ? "*" : " "} ${nameOf(one, logins.all)}  ${one.url}`);
      return void out.json({ current: logins.current && nameOf(logins.current, logins.all), environments: names });
    }
    const current = chooseLogin(logins, wanted, io.env.TIDINGS_URL);
    writeLogins(io, { ...logins, current });
    out.line(`Commands use ${nameOf(current, logins.all)} at ${current.url} now.`);
    out.json({ current: nameOf(current, logins.all) });
  },
};
