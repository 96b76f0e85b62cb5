// `tidings listen --forward-to <address>`: the events of webhooks, brought to an address that the service cannot reach.
// The command creates a webhook for the session, reads its deliveries over the API, signs and forwards each, and
// deletes the webhook in the end.
import { createHmac } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { type WebhookDelivery, type WebhookEventType, webhookEventTypes } from "@tidings/contract";
import { refuseMoreArguments, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, exitCodes, wrongUsage } from "../../failure.ts";
import { plainText } from "../../output.ts";
import { pause } from "../../time.ts";

const help = "tidings listen --help";

export const listen: Command = {
  usage: "--forward-to <address> [--event <type>…]",
  about:
    "Forwards the environment's events to a local address, with the same headers and signature as the service sends. Runs\n" +
    "until Ctrl-C. On a terminal, Enter forwards the last event again. Events are signed with the secret in --secret-file; if\n" +
    "the file does not exist, the session's secret is written to it.",
  example: "tidings listen --forward-to http://localhost:4000/webhooks --event message.sent",
  options: {
    "forward-to": { type: "string", value: "address", about: "Where to send the events" },
    event: { type: "string", multiple: true, value: "type", about: "Only these types; all by default" },
    "secret-file": { type: "string", value: "file", about: "File with the signing secret, whsec_…" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, help);
    const target = readTarget(call);
    const eventTypes = readTypes(call);
    const givenSecret = readSecret(call);
    const { tidings } = await call.session();
    await call.confirm("Create a webhook for this session");
    // A name that never resolves (RFC 2606): the service cannot deliver, and keeps the events for this command.
    const url = `https://${crypto.randomUUID()}.listen.invalid/`;
    const webhook = await tidings.webhooks.create({ body: { url, eventTypes } });
    try {
      const secret = givenSecret ?? webhook.secret;
      if (givenSecret === null) writeSecret(call, secret);
      await forwardAll(call, { target, webhookId: webhook.id, secret });
    } finally {
      await tidings.webhooks.delete({ params: { webhookId: webhook.id } });
    }
    return exitCodes.done;
  },
};

function readTarget({ values }: Call): string {
  const given = textOption(values, "forward-to");
  if (given === undefined) throw wrongUsage("--forward-to <address> is missing.", help);
  const text = /^\d+$/.test(given) ? `http://localhost:${given}` : given;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw wrongUsage(`--forward-to: "${given}" is not an http or https URL.`, help);
  return text;
}

function readTypes({ values }: Call): WebhookEventType[] {
  const given = (values.event as string[] | undefined) ?? [];
  const unknown = given.find((type) => !(webhookEventTypes as readonly string[]).includes(type));
  if (unknown !== undefined)
    throw wrongUsage(`--event: "${unknown}" is unknown. Expected one of ${webhookEventTypes.join(", ")}.`, help);
  return given as WebhookEventType[];
}

const secretPattern = /^whsec_[A-Za-z0-9+/=]{16,}$/;

/** Null: there is none yet. */
function readSecret({ io, values }: Call): string | null {
  const file = textOption(values, "secret-file");
  if (file === undefined || !existsSync(resolve(io.cwd, file))) return null;
  const secret = readFileSync(resolve(io.cwd, file), "utf8").trim();
  if (!secretPattern.test(secret)) throw new CliError(`${file} has no signing secret: whsec_ and base64.`);
  return secret;
}

function writeSecret({ io, out, values }: Call, secret: string): void {
  const file = textOption(values, "secret-file");
  if (file === undefined)
    return void out.note("Signed with a secret of this session; --secret-file <file> keeps it for the receiver.");
  writeFileSync(resolve(io.cwd, file), `${secret}\n`, { mode: 0o600, flag: "wx" });
  out.note(`The signing secret is in ${file}.`);
}

type Target = { target: string; webhookId: string; secret: string };

const pollMs = 1_000;
/** Deliveries of one poll, and ids that are remembered as forwarded. */
const perPoll = 100;
const maxRemembered = 10_000;

async function forwardAll(call: Call, target: Target): Promise<void> {
  const { io, out } = call;
  const { tidings } = await call.session();
  const forwarded = new Set<string>();
  let last: Request | undefined;
  const keyboard = io.stdin.isTTY ? createInterface({ input: io.stdin, terminal: false }) : undefined;
  keyboard?.on("line", () => void (last && forward(call, target, last, "again")));
  out.note(`Events go to ${target.target}. Ctrl-C ends.${keyboard ? " Enter forwards the last one again." : ""}`);
  try {
    while (!io.signal.aborted) {
      const { data } = await tidings.webhooks.listDeliveries({
        params: { webhookId: target.webhookId },
        query: { limit: perPoll },
      });
      for (const delivery of data.toReversed().filter(({ id }) => !forwarded.has(id))) {
        if (io.signal.aborted) return;
        forwarded.add(delivery.id);
        if (forwarded.size > maxRemembered) forwarded.delete(forwarded.values().next().value!);
        const { request } = await tidings.webhooks.retrieveDelivery({
          params: { webhookId: target.webhookId, deliveryId: delivery.id },
        });
        last = { delivery, headers: request.headers, body: request.body };
        await forward(call, target, last);
      }
      await pause(pollMs, io.signal).catch(() => undefined);
    }
  } finally {
    keyboard?.close();
  }
}

type Request = { delivery: WebhookDelivery; headers: Record<string, string>; body: string };

/** A receiver that does not return is shown, and not waited for longer than the service would. */
const timeoutMs = 15_000;

async function forward({ io, out }: Call, { target, secret }: Target, request: Request, word = ""): Promise<void> {
  const { delivery, headers, body } = request;
  const started = performance.now();
  let status: number | null = null;
  let told: string;
  try {
    const signed = { ...headers, ...signatureOf(secret, delivery.eventId, body) };
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(target, { method: "POST", headers: signed, body, redirect: "manual", signal });
    await response.arrayBuffer();
    status = response.status;
    told = out.style(response.ok ? "green" : "red", String(status));
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    told = out.style("red", code ?? message);
  }
  const ms = Math.round(performance.now() - started);
  if (out.isJson)
    io.stdout.write(`${JSON.stringify({ type: delivery.type, eventId: delivery.eventId, status, ms })}\n`);
  else
    out.line(
      `${delivery.createdAt.slice(11, 19)} ${plainText(delivery.type)} ${delivery.eventId} → ${told} ${ms} ms ${word}`.trimEnd(),
    );
}

/** As Standard Webhooks defines it, over id, time and body (docs/webhooks.md). */
function signatureOf(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
