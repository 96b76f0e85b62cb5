// Gives the places of attention budgets, for a whole batch: reads and locks the ledgers of its people, decides in the
// order of the batch, and writes them back. The row of a person is the lock, whatever the channel: any number of
// simultaneous messages, in any number of processes, never exceed a budget. A person has no row before the first
// message; of two transactions that are both the first, one inserts it and the other one decides again.
import { isDeepStrictEqual } from "node:util";
import { maxBudgetLimit } from "@tidings/contract";
import {
  type FoundLedger,
  findLedgers,
  insertLedgers,
  lockLedgers,
  type PersonKey,
  takeQuickPlaces,
  updateLedgers,
} from "../../store/attention/ledgers.batch.ts";
import type { Ledger, OwnLimits } from "../../store/tables.ts";
import type { Batch } from "../batch.ts";
import type { PlaceAsk, PlaceResult } from "../run/run.ts";
import { budgetsOf, emptyLedger, judge, leave } from "./ledger.ts";
import {
  checkRollUps,
  findRollUpItems,
  type ItemsOf,
  type JoinedRollUp,
  type KnownRollUps,
  type NewRollUp,
  startRollUps,
} from "./roll-ups.ts";

const keyOf = ({ run }: PlaceAsk): PersonKey => ({
  environment_id: run.environmentId,
  subscriber_id: run.subscriber!.id,
});
const nameOf = ({ environment_id, subscriber_id }: PersonKey): string => `${environment_id} ${subscriber_id}`;

/** A person is asked for again when another transaction was the first to write the ledger; then the row is locked. */
const maxTries = 3;

/** By job id. */
export async function givePlaces(batch: Batch, asks: PlaceAsk[]): Promise<Map<string, PlaceResult>> {
  const { db } = batch;
  const results = await giveQuickPlaces(batch, asks);
  const started: NewRollUp[] = [];
  let open = asks.filter(({ claim }) => !results.has(claim.jobId));
  for (let tries = 0; open.length > 0; tries++) {
    if (tries >= maxTries) throw new Error("The ledgers of attention budgets could not be written");
    const locked = toMap(await lockLedgers(db, keysOf(open)));
    const decided = await decideAll(batch, open, locked);
    const toRow = ({ key, ledger }: Decided) => ({ ...key, ledger, now: batch.now() });
    const { known = [], first = [] } = Object.groupBy(
      decided.filter(({ key, ledger }) => !isDeepStrictEqual(ledger, locked.get(nameOf(key))?.ledger ?? {})),
      ({ key }) => (locked.has(nameOf(key)) ? "known" : "first"),
    );
    await updateLedgers(db, known.map(toRow));
    const inserted = new Set((await insertLedgers(db, first.map(toRow))).map(nameOf));
    const lost = new Set(first.map(({ key }) => nameOf(key)).filter((name) => !inserted.has(name)));
    for (const { key, results: own, rollUps } of decided) {
      if (lost.has(nameOf(key))) continue;
      for (const [jobId, result] of own) results.set(jobId, result);
      started.push(...rollUps);
    }
    open = open.filter((ask) => lost.has(nameOf(keyOf(ask))));
  }
  await startRollUps(batch, started);
  return results;
}

/**
 * The places of a batch in which everyone asks for one, in the same channel and with the same limit: most batches. Who
 * is close to the limit is left to be decided. Other batches are decided whole, as rows have to be locked in one order.
 */
async function giveQuickPlaces(batch: Batch, asks: PlaceAsk[]): Promise<Map<string, PlaceResult>> {
  const byPerson = new Map(asks.map((ask) => [nameOf(keyOf(ask)), ask]));
  const kinds = new Set(asks.map(({ claim }) => `${claim.channel} ${lowestLimit(claim)} ${claim.rollUp === null}`));
  const [first] = asks;
  if (!first || first.claim.rollUp !== null || kinds.size > 1 || byPerson.size < asks.length) return new Map();
  const placed = await takeQuickPlaces(batch.db, {
    channel: first.claim.channel,
    limit: lowestLimit(first.claim),
    now: batch.now(),
    people: asks.map((ask) => ({ ...keyOf(ask), send: [ask.now.getTime(), ask.claim.messageClass] })),
  });
  return new Map(
    placed.map((key) => {
      const { claim, now } = byPerson.get(nameOf(key))!;
      return [claim.jobId, { kind: "placed", askedAt: now.getTime() }];
    }),
  );
}

const lowestLimit = ({ budgets, channel }: PlaceAsk["claim"]): number =>
  Math.min(maxBudgetLimit, ...budgetsOf(budgets, channel, null).map(({ limit }) => limit));

/** For one dry run: what would be decided, after what was decided in it before. */
export function createPlacesPreview(): typeof givePlaces {
  const ledgers = new Map<string, Known>();
  return async (batch, asks) => {
    const unread = keysOf(asks).filter((key) => !ledgers.has(nameOf(key)));
    const found = unread.length > 0 ? await findLedgers(batch.db, unread) : [];
    for (const [name, known] of toMap(found)) ledgers.set(name, known);
    const decided = await decideAll(batch, asks, ledgers);
    for (const { key, ledger, limits } of decided) ledgers.set(nameOf(key), { ledger, limits });
    return new Map(decided.flatMap(({ results }) => [...results]));
  };
}

const keysOf = (asks: PlaceAsk[]): PersonKey[] => [
  ...new Map(asks.map((ask) => [nameOf(keyOf(ask)), keyOf(ask)])).values(),
];
type Known = Pick<FoundLedger, "ledger" | "limits">;
const toMap = (rows: FoundLedger[]): Map<string, Known> => new Map(rows.map((row) => [nameOf(row), row]));

/** The items of roll-ups are read after their ledgers were locked: nothing joins them from here on. */
async function decideAll(batch: Batch, asks: PlaceAsk[], ledgers: ReadonlyMap<string, Known>): Promise<Decided[]> {
  const items = await findRollUpItems(batch, asks);
  const people = Map.groupBy(asks, (ask) => nameOf(keyOf(ask)));
  const decide = (known: KnownRollUps) =>
    [...people].map(([name, own]) => decideFor(own, ledgers.get(name), items, known));
  const decided = decide({ missing: new Set(), ended: new Set() });
  const known = await checkRollUps(
    batch,
    decided.flatMap(({ joined }) => joined),
  );
  return known.missing.size + known.ended.size === 0 ? decided : decide(known);
}

type Decided = {
  key: PersonKey;
  ledger: Ledger;
  limits: OwnLimits | null;
  results: Map<string, PlaceResult>;
  rollUps: NewRollUp[];
  joined: JoinedRollUp[];
};

/**
 * The asks of one person, in the order of the batch. Roll-ups come first: their items are known, and a message that
 * joined one that closes now would be lost.
 */
function decideFor(asks: PlaceAsk[], before: Known | undefined, items: ItemsOf, known: KnownRollUps): Decided {
  const ledger: Ledger = structuredClone(before?.ledger ?? {});
  for (const own of Object.values(ledger)) {
    if (own.rollUp && known.ended.has(own.rollUp.id)) leave(own, own.rollUp.id);
  }
  const limits = before?.limits ?? null;
  const decided: Decided = { key: keyOf(asks[0]!), ledger, limits, results: new Map(), rollUps: [], joined: [] };
  const rollUpsFirst = asks.toSorted((a, b) => Number(a.claim.rollUp === null) - Number(b.claim.rollUp === null));
  for (const ask of rollUpsFirst) decided.results.set(ask.claim.jobId, decideOne(ask, decided, items, known));
  return decided;
}

function decideOne(ask: PlaceAsk, decided: Decided, items: ItemsOf, known: KnownRollUps): PlaceResult {
  const { run, claim, now } = ask;
  const { jobId, channel, rollUp, messageClass, budgets, zone } = claim;
  const askedAt = now.getTime();
  const ledger = decided.ledger[channel] ?? emptyLedger();
  decided.ledger[channel] = ledger;
  const own = rollUp === null ? undefined : (items.get(rollUp) ?? []);
  const verdict = judge(ledger, {
    id: rollUp ?? jobId,
    messageClass,
    now: askedAt,
    zone,
    budgets: budgetsOf(budgets, channel, decided.limits),
    itemCount: own?.length ?? null,
    canRollUp: !known.missing.has(`${run.environmentId} ${channel}`),
  });
  switch (verdict.kind) {
    case "empty":
      return { kind: "empty", askedAt };
    case "placed":
      return { kind: "placed", askedAt, ...(own && { items: own }) };
    case "over": {
      const { overflow, budget, until, rollUp: joined } = verdict;
      if (joined) decided.joined.push({ environmentId: run.environmentId, channel, ...joined });
      if (joined?.isNew) decided.rollUps.push({ ask, id: joined.id, at: budget.rollUpAt });
      return { kind: "over", askedAt, overflow, budget, until: new Date(until), rollUp: joined?.id ?? null };
    }
  }
}
