// `tidings environments`: the environments of the organisation, and the keys of the one in use.
import { readAction, refuseMoreArguments } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { showKeys } from "./keys.ts";

const actions = ["ls", "keys"] as const;
const help = "tidings environments --help";

export const environments: Command = {
  usage: "ls|keys",
  about:
    "`ls` lists the environments; * marks the one in use. `keys` lists the keys of the one in use by their ids; a key itself is never printed.",
  example: "tidings environments ls",
  actions,
  run: async (call) => {
    const action = readAction(call, actions, help);
    refuseMoreArguments(call, 1, help);
    return action === "ls" ? list(call) : listKeys(call);
  },
};

async function list({ out, session }: Call): Promise<void> {
  const { tidings, environment: current } = await session();
  const all = await tidings.environments.list();
  out.table(
    ["", "identifier", "name", "type"],
    all.map(({ _id, identifier, name, type }) => [_id === current._id ? "*" : "", identifier, name, type ?? ""]),
  );
  out.json(
    all.map(({ _id, identifier, name, type }) => ({ id: _id, identifier, name, type, isCurrent: _id === current._id })),
  );
}

async function listKeys(call: Call): Promise<void> {
  showKeys(call, await call.session());
}
