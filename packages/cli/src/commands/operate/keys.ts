// `tidings keys`: the API keys of the environment in use. A key is printed once, when it is created.
import type { ApiKey, ApiKeyChange, KeyScope, NewApiKey } from "@tidings/contract";
import { readAction, refuseMoreArguments, requireArgument, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";
import { plainText } from "../../output.ts";
import type { Session } from "../../session.ts";
import { parseDuration } from "../../time.ts";

const actions = ["ls", "create", "update", "revoke"] as const;
const help = "tidings keys --help";

export const keys: Command = {
  usage: "ls | create --name <name> | update <id> | revoke <id>",
  about:
    "`create` prints the new key, once. `--scope` is full, send, read or operations; `--operation` names one operation and\n" +
    "implies the last. `--expires` takes a duration (90d), a time or `never`, `--network` a network or `any`. The new key\n" +
    "has no more rights than the key of the command.",
  example:
    'tidings keys create --name "Deploy bot" --operation files.plan --operation files.apply --expires 90d\n' +
    "tidings keys update 0193… --scope read --network 10.0.0.0/8",
  actions,
  options: {
    name: { type: "string", value: "text", about: "What the key is for" },
    owner: { type: "string", value: "text", about: "Who is responsible for it" },
    scope: { type: "string", value: "scope", about: "full, send, read or operations; a new key is full unless given" },
    operation: { type: "string", multiple: true, value: "id", about: "An operation that it may call" },
    expires: { type: "string", value: "when", about: "A duration such as 90d, a time, or never" },
    network: { type: "string", multiple: true, value: "cidr", about: "A network that it may be used from, or any" },
  },
  run: async (call) => {
    const action = readAction(call, actions, help);
    if (action === "ls") return list(call);
    if (action === "create") return create(call);
    return action === "update" ? update(call) : revoke(call);
  },
};

async function list(call: Call): Promise<void> {
  refuseMoreArguments(call, 1, help);
  showKeys(call, await call.session());
}

/** The keys of the environment of a session, by id. */
export function showKeys({ out }: Pick<Call, "out">, { environment, apiKey }: Session): void {
  const shown = (environment.apiKeys ?? []).map(({ key, ...rest }) => ({ ...viewOf(rest), isCurrent: key === apiKey }));
  const time = (text: string | null) => text?.slice(0, 16).replace("T", " ") ?? "never";
  out.table(
    ["", "id", "name", "scope", "created", "last used", "expires"],
    shown.map(({ id, name, scope, operations, createdAt, lastUsedAt, expiresAt, isCurrent }) => [
      isCurrent ? "*" : "",
      id,
      plainText(name ?? ""),
      operations ? `${operations.length} operations` : scope,
      time(createdAt),
      time(lastUsedAt),
      time(expiresAt),
    ]),
  );
  out.json(shown);
}

const viewOf = (key: Omit<ApiKey, "key">) => ({
  id: key._id ?? "",
  name: key.name ?? null,
  owner: key.owner ?? null,
  scope: key.scope ?? "full",
  ...(key.operations && { operations: key.operations }),
  createdAt: key.createdAt ?? "",
  lastUsedAt: key.lastUsedAt ?? null,
  expiresAt: key.expiresAt ?? null,
  allowedNetworks: key.allowedNetworks ?? null,
});

async function create(call: Call): Promise<void> {
  refuseMoreArguments(call, 1, help);
  const { owner, expiresAt, allowedNetworks, ...rest } = readFields(call);
  const body: NewApiKey = {
    ...rest,
    ...(owner && { owner }),
    ...(expiresAt && { expiresAt }),
    ...(allowedNetworks && { allowedNetworks }),
  };
  if (body.name === undefined) throw wrongUsage("--name is missing: say what the key is for.", help);
  const { tidings, environment } = await call.session();
  await call.confirm(`Create an API key for ${environment.name}`);
  const { key, ...made } = await tidings.environments.createApiKey({
    params: { environmentId: environment._id },
    body,
  });
  call.out.line(key);
  call.out.json({ ...viewOf(made), key });
}

async function update(call: Call): Promise<void> {
  const keyId = requireArgument(call, 1, "The id of the key", help);
  refuseMoreArguments(call, 2, help);
  const body = readFields(call);
  if (Object.keys(body).length === 0) throw wrongUsage("Say what to change: --name, --scope, --expires …", help);
  const { tidings, environment } = await call.session();
  await call.confirm("Change the key");
  const params = { environmentId: environment._id, keyId };
  const { key, ...changed } = await tidings.environments.updateApiKey({ params, body });
  call.out.line(`The key ${keyId} is changed.`);
  call.out.json(viewOf(changed));
}

async function revoke(call: Call): Promise<void> {
  const keyId = requireArgument(call, 1, "The id of the key", help);
  refuseMoreArguments(call, 2, help);
  const { tidings, environment } = await call.session();
  await call.confirm("Revoke the key");
  await tidings.environments.revokeApiKey({ params: { environmentId: environment._id, keyId } });
  call.out.line(`The key ${keyId} is revoked.`);
  call.out.json({ id: keyId });
}

function readFields({ values }: Call): ApiKeyChange {
  const name = textOption(values, "name");
  const owner = textOption(values, "owner");
  const scope = textOption(values, "scope");
  const operations = values.operation as string[] | undefined;
  const expires = textOption(values, "expires");
  const networks = values.network as string[] | undefined;
  if (operations && scope !== undefined && scope !== "operations") {
    throw wrongUsage(`--operation is for the scope operations, not for ${scope}.`, help);
  }
  return {
    ...(name !== undefined && { name }),
    ...(owner !== undefined && { owner }),
    // The service names the scopes that exist.
    ...(scope !== undefined && { scope: scope as KeyScope }),
    ...(operations && { scope: "operations", operations }),
    ...(expires !== undefined && { expiresAt: readExpiry(expires) }),
    ...(networks && { allowedNetworks: networks.includes("any") ? null : networks }),
  };
}

function readExpiry(text: string): string | null {
  if (text === "never") return null;
  const ms = parseDuration(text);
  if (ms !== null) return new Date(Date.now() + ms).toISOString();
  const at = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(at.getTime()))
    throw wrongUsage(`--expires: "${text}" is not a duration such as 90d, a time such as 2030-01-31, or never.`, help);
  return at.toISOString();
}
