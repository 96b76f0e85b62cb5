// Simulated providers: they accept, refuse, respond late, hang, and drop the response after they have accepted.
import type { Io } from "@tidings/providers";
import { retry, SendError, unknown } from "../../../../providers/src/kit/outcome.ts";
import { type Process, running } from "./schedule.ts";
import { world } from "./world.ts";

/** What providers do, as parts of one. */
export type ProviderRates = { refused: number; dropped: number; hanging: number; late: number };

/** One call of a provider. `isHeard`: the process that called got the response. */
export type ProviderCall = {
  messageId: string;
  host: string;
  text: string;
  from: string;
  at: number;
  isAccepted: boolean;
  isHeard: boolean;
};

const timeoutMs = 30_000;

export function createNetwork(rates: ProviderRates) {
  const calls: ProviderCall[] = [];
  const call: Io["http"] = async (request) => {
    const { schedule, random, faults, note } = world();
    const process = running.getStore()!;
    faults.disturb(process);
    await schedule.wait(1 + random.below(20), process);
    const body = JSON.parse(String(request.body)) as { id: string; text?: string; content?: string };
    const host = new URL(request.url).host;
    const is = (rate: number) => !faults.isOver() && random.chance(rate);
    const isRefused = is(rates.refused);
    const isHanging = !isRefused && is(rates.hanging);
    const isDropped = !isRefused && is(rates.dropped);
    const made: ProviderCall = {
      messageId: body.id,
      host,
      text: body.text ?? body.content ?? "",
      from: process.name,
      at: schedule.now(),
      // A provider that hangs has accepted, or not.
      isAccepted: !isRefused && (!isHanging || random.chance(0.5)),
      isHeard: false,
    };
    calls.push(made);
    note(`${process.name} calls ${host} for ${made.messageId}: ${made.isAccepted ? "accepted" : "not accepted"}`);
    if (isHanging) return await failAfter(process, timeoutMs, unknown("no response in time"));
    if (isDropped) return await failAfter(process, random.below(3_000), unknown("the connection was closed"));
    await schedule.wait(is(rates.late) ? 5_000 + random.below(24_000) : random.below(400), process);
    faults.disturb(process);
    await schedule.wait(0, process);
    made.isHeard = true;
    if (isRefused && random.chance(0.2)) throw new SendError(retry("connection refused"));
    return { status: isRefused ? 503 : 200, headers: {}, text: "", json: { id: `at ${host}` } };
  };
  return { calls, io: createIo(call) };
}

async function failAfter(process: Process, ms: number, failure: ReturnType<typeof unknown>): Promise<never> {
  await world().schedule.wait(ms, process);
  throw new SendError(failure);
}

function createIo(http: Io["http"]): Io {
  const refuse = () => {
    throw new Error("the providers of the simulation use HTTP");
  };
  return {
    http,
    http2: refuse,
    smtp: refuse,
    capture: refuse,
    cached: async (_key, make) => (await make()).value,
    forget: () => {},
    now: () => new Date(world().schedule.now()),
    close: async () => {},
  };
}
