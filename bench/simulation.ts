// A simulation of a billion notifications a day on several shards, because no machine here can run it: batches of
// notifications queue for a pool of workers and then for the PostgreSQL of their shard, at the peak of the day. The
// costs of one notification are those of the in-app benchmark (costs.ts); all else is an assumption, printed with the
// result and changed by `--assume name=value`. The same seed gives the same result.
import { createRandom } from "@tidings/testkit/load/random";
import { costs, peakFactor } from "./costs.ts";
import { formatNumber, type Row, valueAtMost } from "./table.ts";

const defaults = {
  seed: 1,
  perDay: 1_000_000_000,
  peakFactor,
  shards: 8,
  coresPerShard: 4,
  /** Cores of all worker processes together; any of them works for any shard. */
  workerCores: 16,
  /** Costs of one notification as measured, and of a batch whatever its size. */
  workerMs: costs.inApp.serviceMs,
  postgresMs: costs.inApp.postgresMs,
  walKb: costs.inApp.walKb,
  diskKb: costs.inApp.diskKb,
  batchMs: 5,
  /** Claiming and finishing the task of a batch, on the node that holds the queue. */
  queueMs: 0.4,
  queueCores: 4,
  /** Work times vary by this, as standard deviation / mean of a log-normal distribution. */
  variation: 0.5,
  /** The share of the environment in place n falls with n^-zipf. */
  environments: 2_000,
  zipf: 1.05,
  maxBatch: 500,
  minBatch: 20,
  /** Part of the notifications that come as fan-outs to an audience of this median size; four pages of each at once. */
  fanoutShare: 0.3,
  fanoutMedian: 50_000,
  fanoutPages: 4,
  /** What one shard can take. */
  walMbPerSecond: 250,
  diskTb: 12,
  keepDays: 30,
  /** Simulated seconds, of which the first tenth is not counted. */
  seconds: 300,
};
type Assumptions = typeof defaults;

type Batch = { key: number; size: number; waited: number; since: number; onDone?: () => void };
type Station = { cores: number; busy: number; busyMs: number; waiting: Map<number, Batch[]> };

/** `shares` of the load by key: an environment, or a part of its subscribers. All rows of a key are on one shard. */
type Scenario = { name: string; shares(assumed: Assumptions): number[] };

const zipfShares = ({ environments, zipf }: Assumptions): number[] => {
  const weights = Array.from({ length: environments }, (_, rank) => (rank + 1) ** -zipf);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

const scenarios: Scenario[] = [
  { name: "by environment", shares: zipfShares },
  { name: "one environment on one shard", shares: () => [1] },
  {
    name: "one environment as 256 keys (not built)",
    shares: () => Array.from({ length: 256 }, () => 1 / 256),
  },
];

export async function benchSimulation(given: string[]): Promise<Row[]> {
  const assumed = { ...defaults };
  for (const text of given) {
    const [name = "", value] = text.split("=");
    if (!(name in defaults) || !Number.isFinite(Number(value))) {
      throw new Error(`--assume takes name=number; the names are: ${Object.keys(defaults).join(", ")}`);
    }
    assumed[name as keyof Assumptions] = Number(value);
  }
  const rows = scenarios.flatMap((scenario) => toRows(scenario, assumed));
  const list = Object.entries(assumed).map(([name, value]) => `${name} ${value}`);
  rows[0]!.note = `assumed: ${list.join(", ")}`;
  return rows;
}

function toRows(scenario: Scenario, assumed: Assumptions): Row[] {
  const shares = scenario.shares(assumed);
  const shardOf = placeKeys(shares, assumed.shards);
  const { waits, workers, shards, perSecond } = simulate(shares, shardOf, assumed);
  const hottest = Math.max(...Array.from({ length: assumed.shards }, (_, shard) => sumWhere(shares, shardOf, shard)));
  const peak = (assumed.perDay / 86_400) * assumed.peakFactor;
  const used = {
    "CPU of PostgreSQL on the hottest shard": Math.max(...shards),
    "CPU of the workers": workers,
    "CPU of the queue's node": (perSecond * assumed.queueMs) / 1000 / assumed.queueCores,
    "WAL of the hottest shard": (peak * hottest * assumed.walKb) / 1000 / assumed.walMbPerSecond,
    "disk of the hottest shard": (assumed.perDay * hottest * assumed.diskKb * assumed.keepDays) / 1e9 / assumed.diskTb,
  };
  const [first] = Object.entries(used).sort(([, a], [, b]) => b - a);
  const name = (what: string) => `simulation, ${scenario.name}: ${what}`;
  return [
    { what: name("queue age, p50"), value: percentileOf(waits, 0.5), unit: "ms" },
    { what: name("queue age, p99"), value: percentileOf(waits, 0.99), unit: "ms" },
    ...Object.entries(used).map(([what, part]) => ({
      what: name(what),
      value: 100 * part,
      unit: "%",
      aim: valueAtMost(80),
      ...(what === first![0] ? { note: `the first to break: ${formatNumber(100 * part)} % of what there is` } : {}),
    })),
  ];
}

const percentileOf = (sorted: Float64Array, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

const sumWhere = (shares: number[], shardOf: number[], shard: number): number =>
  shares.reduce((sum, share, key) => (shardOf[key] === shard ? sum + share : sum), 0);

/** The largest first, each on the shard with the least: what an operator reaches by moving hot environments. */
function placeKeys(shares: number[], shards: number): number[] {
  const loads = Array.from({ length: shards }, () => 0);
  const places: number[] = [];
  for (const key of shares.map((_, index) => index).sort((a, b) => shares[b]! - shares[a]!)) {
    const least = loads.indexOf(Math.min(...loads));
    loads[least]! += shares[key]!;
    places[key] = least;
  }
  return places;
}

/** Batches arrive, wait for a worker, then for their shard; returns sorted waits and the used part of each station. */
function simulate(shares: number[], shardOf: number[], assumed: Assumptions) {
  const random = createRandom(assumed.seed).next;
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const sigma = Math.sqrt(Math.log(1 + assumed.variation ** 2));
  const vary = (mean: number) => mean * Math.exp(sigma * normal() - sigma ** 2 / 2);
  const endMs = assumed.seconds * 1000;
  const beginMs = endMs / 10;
  const waits: number[] = [];
  const agenda = createAgenda();
  const createStation = (cores: number): Station => ({ cores, busy: 0, busyMs: 0, waiting: new Map() });
  const pool = createStation(assumed.workerCores);
  const shards = Array.from({ length: assumed.shards }, () => createStation(assumed.coresPerShard));

  function enter(station: Station, batch: Batch, msOf: (batch: Batch) => number, next: (batch: Batch) => void): void {
    batch.since = agenda.now();
    const own = station.waiting.get(batch.key);
    if (own) own.push(batch);
    else station.waiting.set(batch.key, [batch]);
    serve(station, msOf, next);
  }
  /** Keys take turns, as environments do in the queue of the service. */
  function serve(station: Station, msOf: (batch: Batch) => number, next: (batch: Batch) => void): void {
    while (station.busy < station.cores && station.waiting.size > 0) {
      const [key, own] = station.waiting.entries().next().value!;
      const batch = own.shift()!;
      station.waiting.delete(key);
      if (own.length > 0) station.waiting.set(key, own);
      batch.waited += agenda.now() - batch.since;
      const ms = msOf(batch);
      if (agenda.now() >= beginMs) station.busyMs += Math.min(ms, Math.max(0, endMs - agenda.now()));
      station.busy++;
      agenda.add(ms, () => {
        station.busy--;
        next(batch);
        serve(station, msOf, next);
      });
    }
  }
  const workerMs = ({ size }: Batch) => vary(assumed.batchMs + size * assumed.workerMs);
  const postgresMs = ({ size }: Batch) => vary(assumed.batchMs + size * assumed.postgresMs);
  const finish = (batch: Batch) => {
    if (agenda.now() >= beginMs) waits.push(batch.waited);
    batch.onDone?.();
  };
  const write = (batch: Batch) => enter(shards[shardOf[batch.key]!]!, batch, postgresMs, finish);
  const submit = (key: number, size: number, onDone?: () => void) =>
    enter(pool, { key, size, waited: 0, since: 0, onDone }, workerMs, write);

  const perMs = (assumed.perDay / 86_400_000) * assumed.peakFactor;
  const arrive = (meanMs: number, act: () => void): void =>
    agenda.add(-Math.log(1 - random()) * meanMs, () => {
      act();
      arrive(meanMs, act);
    });
  for (const [key, share] of shares.entries()) {
    const own = perMs * share;
    // What an environment sends within a tenth of a second shares a batch.
    const size = Math.round(Math.min(assumed.maxBatch, Math.max(assumed.minBatch, own * 100)));
    arrive(size / (own * (1 - assumed.fanoutShare)), () => submit(key, size));
    // The mean of this distribution is e^0.5 times its median.
    const meanAudience = assumed.fanoutMedian * Math.exp(0.5);
    arrive(meanAudience / (own * assumed.fanoutShare), () => {
      let pages = Math.ceil((assumed.fanoutMedian * Math.exp(normal())) / assumed.maxBatch);
      const nextPage = () => {
        if (pages-- > 0) submit(key, assumed.maxBatch, nextPage);
      };
      for (let page = 0; page < assumed.fanoutPages; page++) nextPage();
    });
  }
  agenda.run(endMs);
  const spanMs = endMs - beginMs;
  return {
    waits: Float64Array.from(waits).sort(),
    workers: pool.busyMs / spanMs / pool.cores,
    shards: shards.map(({ busyMs, cores }) => busyMs / spanMs / cores),
    perSecond: waits.length / (spanMs / 1000),
  };
}

/** What happens when: a binary heap by time. */
function createAgenda() {
  const heap: { at: number; act: () => void }[] = [];
  let time = 0;
  return {
    now: () => time,
    add(inMs: number, act: () => void) {
      const entry = { at: time + inMs, act };
      let index = heap.push(entry) - 1;
      for (let parent = (index - 1) >> 1; index > 0 && heap[parent]!.at > entry.at; parent = (index - 1) >> 1) {
        heap[index] = heap[parent]!;
        index = parent;
      }
      heap[index] = entry;
    },
    run(endMs: number) {
      while (heap.length > 0 && heap[0]!.at <= endMs) {
        const { at, act } = heap[0]!;
        const last = heap.pop()!;
        let index = 0;
        for (let child = 1; child < heap.length; child = 2 * index + 1) {
          if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++;
          if (heap[child]!.at >= last.at) break;
          heap[index] = heap[child]!;
          index = child;
        }
        if (heap.length > 0) heap[index] = last;
        time = at;
        act();
      }
    },
  };
}
