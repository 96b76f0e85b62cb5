// Everything about one person as an archive of readable files: one page of rows in memory at a time, whatever its size.
// Files follow each other: the next one begins when the client has taken the one before.

import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import type { Caller, NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { spellingsOf } from "../../lib/personal/personal-texts.ts";
import { createAddressHashes } from "../../lib/suppression-hash.ts";
import {
  type ExportedPerson,
  type PersonalPart,
  type PersonalRow,
  partsByKey,
  personalParts,
  readPersonalPage,
  readWebhookBodies,
} from "../../store/subscribers/personal-data.ts";
import { findDeletedSubscribers, findSubscriber, type SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { allStoredForms } from "../../store/subscribers/suppressions.ts";
import { readPage } from "../export-pages.ts";
import { messageFiles, readme, toFileRow, toProfile, webhookEventOf } from "./personal-files.ts";

type Subject = { subscriberId: string; row: SubscriberRow | undefined; ids: string[] };

/** Finds the person, so that an unknown one is refused before the first byte. */
export async function openPersonalExport(ctx: NetworkCtx, caller: Caller, name: string | undefined): Promise<Readable> {
  const subscriberId = (name ?? "").trim();
  const { row, deleted } = await readPage(ctx, caller, async (db) => ({
    row: await findSubscriber(db, caller.environmentId, subscriberId),
    deleted: await findDeletedSubscribers(db, caller.environmentId, subscriberId),
  }));
  const ids = [...(row ? [row.id] : []), ...deleted.map(({ id }) => id)];
  if (ids.length === 0) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  return createArchive(exportFiles(ctx, caller, { subscriberId, row, ids }), ctx.now());
}

type ArchiveFile = { path: string; content: Iterable<string> | AsyncIterable<string> };

function createArchive(files: AsyncGenerator<ArchiveFile>, mtime: Date): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const closed = new Promise<void>((resolve) => output.once("close", resolve));
  const write = async (): Promise<void> => {
    for await (const { path, content } of files) {
      await addFile(zip, path, { content, mtime, closed });
      if (output.destroyed) return;
    }
    zip.end();
  };
  write().catch((error: Error) => output.destroy(error));
  return output;
}

type FileContent = Pick<ArchiveFile, "content"> & { mtime: Date; closed: Promise<void> };

/**
 * Ends when the file has been read, or the client has gone. The archive remembers its entries until it ends, with the
 * function that opens them: it must not hold the content.
 */
async function addFile(zip: ZipFile, path: string, { content, mtime, closed }: FileContent): Promise<void> {
  const source = Readable.from(content);
  let waiting: Readable | null = source;
  zip.addReadStreamLazy(path, { mtime }, (take) => {
    take(null, waiting!);
    waiting = null;
  });
  await Promise.race([finished(source), closed]);
  source.destroy();
}

async function* exportFiles(ctx: NetworkCtx, caller: Caller, subject: Subject): AsyncGenerator<ArchiveFile> {
  const { subscriberId, row, ids } = subject;
  const { environmentId } = caller;
  const counts: Record<string, number> = {};
  const hashesOf = createAddressHashes(ctx.secrets);
  const addresses = [row?.email, row?.phone].flatMap((address) =>
    address ? spellingsOf(address).flatMap((one) => allStoredForms(environmentId, one, hashesOf)) : [],
  );
  yield { path: "README.txt", content: [readme] };
  yield { path: "profile.json", content: [JSON.stringify(row ? toProfile(ctx, row) : null, null, 2)] };
  const people = (part: PersonalPart): ExportedPerson[] =>
    (partsByKey.has(part) ? ids.slice(0, 1) : ids).map((id) => ({ id, subscriberId, addresses }));
  for (const part of personalParts) {
    counts[part] = 0;
    const pages = readPages(ctx, caller, part, people(part));
    if (part === "messages") {
      for await (const page of pages) {
        counts[part] += page.length;
        for (const { data } of page) yield* messageFiles(ctx, data);
      }
      continue;
    }
    const texts = (async function* () {
      for await (const page of pages) {
        counts[part]! += page.length;
        for (const { data } of page) yield JSON.stringify(toFileRow(ctx, part, data, subscriberId));
      }
    })();
    yield { path: `${part}.json`, content: jsonList(texts) };
  }
  yield { path: "webhook-events.json", content: jsonList(webhookEvents(ctx, caller, subscriberId, counts)) };
  const manifest = { subscriberId, environmentId, exportedAt: ctx.now().toISOString(), rows: counts };
  yield { path: "manifest.json", content: [JSON.stringify(manifest, null, 2)] };
}

/** A list with one record on a line. */
async function* jsonList(records: AsyncIterable<string>): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const record of records) {
    yield separator + record;
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

async function* readPages(
  ctx: NetworkCtx,
  caller: Caller,
  part: PersonalPart,
  people: ExportedPerson[],
): AsyncGenerator<PersonalRow[]> {
  for (const person of people) {
    for (let after: string | null = null; ; ) {
      const at: { part: PersonalPart; after: string | null } = { part, after };
      const { rows, hasMore } = await readPage(ctx, caller, (db) =>
        readPersonalPage(db, caller.environmentId, person, at),
      );
      if (rows.length > 0) yield rows;
      if (!hasMore) break;
      after = rows.at(-1)!.row_key;
    }
  }
}

/** Bodies of webhook events are encrypted, so all of the environment are read. */
async function* webhookEvents(
  ctx: NetworkCtx,
  caller: Caller,
  subscriberId: string,
  counts: Record<string, number>,
): AsyncGenerator<string> {
  counts["webhook-events"] = 0;
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const position = after;
    const rows = await readPage(ctx, caller, (db) => readWebhookBodies(db, caller.environmentId, position));
    for (const row of rows) {
      const event = webhookEventOf(ctx, row, subscriberId);
      if (!event) continue;
      counts["webhook-events"]++;
      yield JSON.stringify(event);
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}
