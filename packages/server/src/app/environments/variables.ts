// Variables of environments, which templates and conditions read as `env.NAME`. An API key sees and changes those
// of its environment, a member those of all environments (docs/decisions/0048-environment-variables.md).
import {
  type EnvironmentVariable,
  type Input,
  maxVariableBytes,
  maxVariables,
  maxVariableUsers,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { sealText } from "../../lib/sealed.ts";
import { mask } from "../../lib/secrets.ts";
import { listEnvironments } from "../../store/environments/environments.ts";
import {
  deleteVariables,
  findFullEnvironments,
  findVariableUsers,
  listVariables,
  lockVariables,
  type VariableRow,
  type VariableUser,
  writeVariables,
} from "../../store/environments/variables.ts";

/** The environments whose values the caller sees and changes. */
async function visibleTo(ctx: Ctx, { member, organizationId, environmentId }: Caller): Promise<string[]> {
  if (!member) return [environmentId];
  return (await listEnvironments(ctx.db, organizationId)).map(({ id }) => id);
}

/** The rows of one key. */
function toVariable(organizationId: string, rows: VariableRow[]): EnvironmentVariable {
  const times = (pick: (row: VariableRow) => Date) => rows.map((row) => pick(row).getTime());
  const oldest = rows.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime())[0]!;
  return {
    _id: oldest.id,
    _organizationId: organizationId,
    key: oldest.key,
    type: "string",
    isSecret: rows.some(({ is_secret }) => is_secret),
    values: rows.map((row) => ({ _environmentId: row.environment_id, value: row.is_secret ? mask : row.value })),
    createdAt: oldest.created_at.toISOString(),
    updatedAt: new Date(Math.max(...times((row) => row.updated_at))).toISOString(),
  };
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"environmentVariables.list">,
): Promise<Output<"environmentVariables.list">> {
  const { organizationId } = caller;
  const environmentIds = await visibleTo(ctx, caller);
  const rows = await listVariables(ctx.db, organizationId, { environmentIds, search: query.search });
  return [...Map.groupBy(rows, ({ key }) => key).values()].map((own) => toVariable(organizationId, own));
}

async function requireRows(ctx: Ctx, caller: Caller, variableKey: string): Promise<VariableRow[]> {
  const environmentIds = await visibleTo(ctx, caller);
  const rows = await listVariables(ctx.db, caller.organizationId, { environmentIds, key: variableKey });
  if (rows.length === 0) throw failure("VARIABLE_NOT_FOUND", { variableKey: variableKey.slice(0, 64) });
  return rows;
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environmentVariables.retrieve">,
): Promise<Output<"environmentVariables.retrieve">> {
  return toVariable(caller.organizationId, await requireRows(ctx, caller, params.variableKey));
}

/** `field`: where the request has it. */
type Given = { environmentId: string; value: string | null; field: string };

/** Throws for environments that the caller may not change, and for values that are too long. */
async function readValues(
  ctx: Ctx,
  caller: Caller,
  values: { _environmentId: string; value: string | null }[],
): Promise<Given[]> {
  if (values.length === 0) return [];
  const environments = await listEnvironments(ctx.db, caller.organizationId);
  const find = (name: string) =>
    environments.find(({ id }) => id === name) ?? environments.find(({ identifier }) => identifier === name);
  const read: Given[] = [];
  for (const [index, { _environmentId, value }] of values.entries()) {
    const id = find(_environmentId)?.id;
    if (id === undefined) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId: _environmentId.slice(0, 100) });
    if (!caller.member && id !== caller.environmentId) throw failure("FORBIDDEN", {});
    const field = `values.${index}`;
    if (read.some(({ environmentId }) => environmentId === id))
      throw fault(`${field}._environmentId`, "is named twice: one value for each environment");
    if (value !== null && Buffer.byteLength(value) > maxVariableBytes)
      throw fault(`${field}.value`, `must not be longer than ${maxVariableBytes} bytes`);
    read.push({ environmentId: id, value, field });
  }
  return read;
}

const fault = (field: string, message: string) => invalid({ [field]: { messages: [`${field} ${message}`] } });

const sealed = (ctx: Ctx, isSecret: boolean, value: string): string =>
  isSecret ? sealText(ctx.secrets, value) : value;

/** Environments at the limit cannot get another variable. */
async function refuseFull(ctx: Ctx, { organizationId }: Caller, environmentIds: string[]): Promise<void> {
  const full = await findFullEnvironments(ctx.db, organizationId, { environmentIds, limit: maxVariables });
  if (full.length > 0) throw failure("VARIABLE_LIMIT", { limit: String(maxVariables) });
}

async function refuseTaken(ctx: Ctx, caller: Caller, key: string): Promise<void> {
  const environmentIds = await visibleTo(ctx, caller);
  const taken = await listVariables(ctx.db, caller.organizationId, { environmentIds, key });
  if (taken.length > 0) throw failure("VARIABLE_KEY_TAKEN", { variableKey: key });
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"environmentVariables.create">,
): Promise<Output<"environmentVariables.create">> {
  const { key, isSecret = false } = body;
  const named = body.values?.length ? body.values : [{ _environmentId: caller.environmentId, value: "" }];
  const given = await readValues(ctx, caller, named);
  const masked = given.find(({ value }) => isSecret && value === mask);
  if (masked) throw fault(`${masked.field}.value`, "is the mask of a secret, and there is no stored value to keep");
  // The environments that the caller sees, not only those that get a value: of two requests one finds the other's rows.
  await lockVariables(ctx.db, caller.organizationId, await visibleTo(ctx, caller));
  await refuseTaken(ctx, caller, key);
  await refuseFull(
    ctx,
    caller,
    given.map(({ environmentId }) => environmentId),
  );
  const now = ctx.now();
  const id = ctx.newId();
  await writeVariables(
    ctx.db,
    given.map(({ environmentId, value }) => ({
      environment_id: environmentId,
      key,
      id,
      is_secret: isSecret,
      value: sealed(ctx, isSecret, value ?? ""),
      created_at: now,
      updated_at: now,
    })),
  );
  return toVariable(caller.organizationId, await requireRows(ctx, caller, key));
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"environmentVariables.update">,
): Promise<Output<"environmentVariables.update">> {
  const { organizationId } = caller;
  await requireRows(ctx, caller, params.variableKey);
  const given = await readValues(ctx, caller, body.values ?? []);
  await lockVariables(ctx.db, organizationId, await visibleTo(ctx, caller));
  const before = await requireRows(ctx, caller, params.variableKey);
  const { key, id } = before[0]!;
  const next = body.key ?? key;
  if (next !== key) await refuseTaken(ctx, caller, next);
  const { written, removed } = changesOf(ctx, before, given, { ...body, key: next });
  if (written.length === 0) throw fault("values", "must leave the variable a value: delete it instead");
  const gone = next === key ? removed : before;
  await refuseUsed(
    ctx,
    caller,
    key,
    gone.map((row) => row.environment_id),
  );
  const had = new Set(before.map((row) => row.environment_id));
  const added = written.map((row) => row.environment_id).filter((one) => !had.has(one));
  if (added.length > 0) await refuseFull(ctx, caller, added);
  await deleteVariables(ctx.db, gone);
  await writeVariables(
    ctx.db,
    written.map((row) => ({ ...row, id: row.id || id })),
  );
  return toVariable(organizationId, await requireRows(ctx, caller, next));
}

type Wanted = { key: string; isSecret?: boolean };

/** The rows of all environments afterwards, and those that go. */
function changesOf(ctx: Ctx, before: VariableRow[], given: Given[], wanted: Wanted) {
  const now = ctx.now();
  const wasSecret = before.some(({ is_secret }) => is_secret);
  const named = new Map(given.map((one) => [one.environmentId, one]));
  const isRemoved = ({ environment_id }: VariableRow) => named.get(environment_id)?.value === null;
  const kept = before
    .filter((row) => !isRemoved(row))
    .map((row) => nextRow(ctx, row, named.get(row.environment_id), wanted));
  const known = new Set(before.map(({ environment_id }) => environment_id));
  const isSecret = wanted.isSecret ?? wasSecret;
  const added = given.flatMap(({ environmentId, value, field }) => {
    if (known.has(environmentId) || value === null) return [];
    if (isSecret && value === mask)
      throw fault(`${field}.value`, "is the mask of a secret, and there is no stored value to keep");
    const content = { key: wanted.key, id: "", is_secret: isSecret, value: sealed(ctx, isSecret, value) };
    return [{ ...content, environment_id: environmentId, created_at: now, updated_at: now }];
  });
  return { written: [...kept, ...added], removed: before.filter(isRemoved) };
}

/** A secret becomes plain only with a new value, so that nobody can read the stored one. */
function nextRow(ctx: Ctx, row: VariableRow, given: Given | undefined, wanted: Wanted): VariableRow {
  const isSecret = wanted.isSecret ?? row.is_secret;
  const isKept = !given || (row.is_secret && given.value === mask);
  if (row.is_secret && !isSecret && isKept)
    throw fault(
      "isSecret",
      `of a secret becomes false only with a new value for each environment: name one for ${row.environment_id}`,
    );
  const stored = isKept && row.is_secret === isSecret ? row.value : sealed(ctx, isSecret, given?.value ?? row.value);
  const isChanged = stored !== row.value || wanted.key !== row.key;
  return {
    ...row,
    key: wanted.key,
    is_secret: isSecret,
    value: stored,
    updated_at: isChanged ? ctx.now() : row.updated_at,
  };
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environmentVariables.delete">,
): Promise<undefined> {
  await lockVariables(ctx.db, caller.organizationId, await visibleTo(ctx, caller));
  const rows = await requireRows(ctx, caller, params.variableKey);
  await refuseUsed(
    ctx,
    caller,
    rows[0]!.key,
    rows.map((row) => row.environment_id),
  );
  await deleteVariables(ctx.db, rows);
}

export async function usage(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environmentVariables.usage">,
): Promise<Output<"environmentVariables.usage">> {
  const [{ key }] = (await requireRows(ctx, caller, params.variableKey)) as [VariableRow];
  const environmentIds = await visibleTo(ctx, caller);
  const users = await findVariableUsers(ctx.db, caller.organizationId, {
    environmentIds,
    key,
    limit: maxVariableUsers,
  });
  const toUser = ({ name, environment_id }: VariableUser) => ({ name, _environmentId: environment_id });
  return {
    workflows: users.workflows.map((one) => ({ ...toUser(one), workflowId: one.identifier })),
    layouts: users.layouts.map((one) => ({ ...toUser(one), layoutId: one.identifier })),
  };
}

const maxNamed = 5;

async function refuseUsed(ctx: Ctx, caller: Caller, key: string, environmentIds: string[]): Promise<void> {
  if (environmentIds.length === 0) return;
  const limit = maxNamed + 1;
  const found = await findVariableUsers(ctx.db, caller.organizationId, { environmentIds, key, limit });
  const names = [
    ...found.workflows.map(({ identifier }) => `the workflow ${identifier}`),
    ...found.layouts.map(({ identifier }) => `the layout ${identifier}`),
  ];
  if (names.length === 0) return;
  const users = `${names.slice(0, maxNamed).join(", ")}${names.length > maxNamed ? " and others" : ""}`;
  throw failure("VARIABLE_IN_USE", { variableKey: key, users });
}
