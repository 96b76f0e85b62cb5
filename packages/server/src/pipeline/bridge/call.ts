// One call to a bridge: the signed request, and the reply as one of four kinds. Calls go through the same guard as
// those to webhooks: no private addresses, a time limit, replies of at most 1 MB, redirects not followed.
import { createHmac } from "node:crypto";
import type { Io } from "@tidings/providers";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { storableText } from "../../lib/text/storable-text.ts";
import { storeFault } from "../asks/storable.ts";
import type { StepRequest } from "./request.ts";

type BridgeCall = {
  url: string;
  /** The API key that signs the call. */
  key: string;
  /** Real time, even on a test clock: bridges accept signatures of the last five minutes. */
  now: Date;
  query: { action: "discover" | "execute" | "preview"; workflowId?: string; stepId?: string };
  /** Absent for a GET, which signs an empty object. */
  body?: StepRequest;
  /** Headers that name the trace of the run. */
  traced?: Record<string, string>;
};

export type BridgeReply =
  | { kind: "answered"; body: JsonObject; tookMs: number }
  /** The bridge is down, too slow or overloaded, or another program responds at its address. */
  | { kind: "unavailable"; reason: string }
  /** The bridge is up, and its code failed or gave a response that cannot be used. */
  | { kind: "failing"; reason: string }
  /** Another call would be refused for the same reason. */
  | { kind: "refused"; reason: string };

/** Never rejects. */
export async function callBridge(http: Io["http"], call: BridgeCall): Promise<BridgeReply> {
  const { url, query, body, traced } = call;
  const began = performance.now();
  try {
    const reply = await http({
      method: body ? "POST" : "GET",
      url: addressOf(url, query),
      headers: {
        accept: "application/json",
        ...traced,
        "novu-signature": signature(call),
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return readReply(reply, Math.round(performance.now() - began));
  } catch (error) {
    const reason = storableText(error instanceof Error ? error.message : String(error), maxReasonLength);
    const { outcome } = error as { outcome?: { kind: string } };
    return { kind: outcome?.kind === "rejected" ? "refused" : "unavailable", reason };
  }
}

function addressOf(base: string, query: BridgeCall["query"]): string {
  const url = new URL(base);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function signature({ key, now, body = {} }: Pick<BridgeCall, "key" | "now"> & { body?: object }): string {
  const time = now.getTime();
  const content = `${time}.${JSON.stringify(body)}`;
  return `t=${time},v1=${createHmac("sha256", key).update(content).digest("hex")}`;
}

const maxReasonLength = 500;

type HttpReply = Awaited<ReturnType<Io["http"]>>;

/** The framework returns errors as `{message, code}`; every other error is of a program in front of it. */
function readReply({ status, text, json }: HttpReply, tookMs: number): BridgeReply {
  const error = isObject(json) && typeof json.message === "string" && typeof json.code === "string" ? json : undefined;
  if (status >= 200 && status < 300) {
    if (text.length > 0 && json === undefined) {
      return { kind: "failing", reason: "its response is not JSON, or larger than 1 MB" };
    }
    if (!isObject(json)) return { kind: "failing", reason: "its response is not a JSON object" };
    const fault = storeFault(json);
    return fault ? { kind: "failing", reason: fault } : { kind: "answered", body: json, tookMs };
  }
  if (status >= 300 && status < 400)
    return { kind: "failing", reason: `it returned ${status}: redirects are not followed` };
  const told = error ? `${error.code}: ${error.message}` : text.replace(/\s+/g, " ").slice(0, 200);
  const reason = storableText(`it returned ${status}${told ? `, ${told}` : ""}`, maxReasonLength);
  if (!error) return { kind: "unavailable", reason };
  return { kind: status >= 500 ? "failing" : "refused", reason };
}
