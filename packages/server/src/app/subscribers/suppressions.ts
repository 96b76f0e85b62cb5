// Suppressed addresses: listed, added and removed by callers. Bounces and complaints add theirs in
// pipeline/deliver/receipts.ts.
import { emailPattern, type Input, type Output, type Suppression } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { normalizeAddress } from "../../lib/addresses.ts";
import { type AddressHashes, createAddressHashes } from "../../lib/suppression-hash.ts";
import { type AlternateSuccess, alternateSuccess } from "../../response.ts";
import {
  allStoredForms,
  deleteSuppression,
  findNamedSuppression,
  findSuppression,
  insertSuppressions,
  listSuppressions,
  type SuppressionRow,
  suppressionName,
} from "../../store/subscribers/suppressions.ts";
import { readCursor, toCursorList } from "../paging.ts";

const hashesOf = ({ secrets }: Ctx): AddressHashes => createAddressHashes(secrets);

const toSuppression = (row: SuppressionRow): Suppression => ({
  id: row.id,
  channel: row.channel,
  address: row.address,
  reason: row.reason,
  messageId: row.message_id ?? undefined,
  createdAt: row.created_at.toISOString(),
});

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"suppressions.list">,
): Promise<Output<"suppressions.list">> {
  const { channel, address, reason } = query;
  const forms = address === undefined ? undefined : allStoredForms(caller.environmentId, address, hashesOf(ctx));
  const filters = { channel, address: forms, reason };
  const page = await listSuppressions(ctx.db, caller.environmentId, filters, readCursor(query));
  return toCursorList(page, toSuppression);
}

/** By id or by address. */
export async function find(ctx: Ctx, { environmentId }: Caller, idOrAddress: string): Promise<Suppression | undefined> {
  const row = await findNamedSuppression(
    ctx.db,
    environmentId,
    suppressionName(environmentId, idOrAddress, hashesOf(ctx)),
  );
  return row && toSuppression(row);
}

const phonePattern = /^\+?\d{3,20}$/;

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"suppressions.create">,
): Promise<Output<"suppressions.create"> | AlternateSuccess<Output<"suppressions.create">>> {
  const { channel, address } = body;
  const isValid = (channel === "email" ? emailPattern : phonePattern).test(normalizeAddress(address));
  if (!isValid) {
    const kind = channel === "email" ? "an email address" : "a phone number";
    throw invalid({ address: { messages: [`address must be ${kind}`], value: address } });
  }
  const entry = { id: ctx.newId(), channel, address, reason: "manual", message_id: null } as const;
  const existing = await findSuppression(ctx.db, caller.environmentId, { channel, address }, hashesOf(ctx));
  if (existing) return alternateSuccess(toSuppression(existing));
  const [inserted] = await insertSuppressions(ctx.db, caller.environmentId, [entry], ctx.now());
  if (inserted) return toSuppression(inserted);
  const other = await findSuppression(ctx.db, caller.environmentId, { channel, address }, hashesOf(ctx));
  return alternateSuccess(toSuppression(other!));
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params: { suppressionId } }: Input<"suppressions.delete">,
): Promise<Output<"suppressions.delete">> {
  const name = suppressionName(caller.environmentId, suppressionId, hashesOf(ctx));
  const isKnown = await deleteSuppression(ctx.db, caller.environmentId, name);
  if (!isKnown) throw failure("SUPPRESSION_NOT_FOUND", { suppressionId });
}
