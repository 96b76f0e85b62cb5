// One call of an HTTP request, through the same guard as those to webhooks: no private addresses, a time limit for the
// whole call, responses of at most 1 MB, redirects not followed.
import { type HttpReply, type Io, type Outcome, retryAfter } from "@tidings/providers";
import { storableText } from "../../lib/text/storable-text.ts";
import { maskSecrets, maskSecretsIn } from "./mask.ts";
import type { HttpCall } from "./request.ts";

/** `body`: parsed, where it is JSON; otherwise its text, and null where there is none. */
export type HttpResponse = { status: number; headers: Record<string, string>; body: unknown; isJson: boolean };

/** `response` is null when none came. `isAssumed`: no request was sent, and the response is the sample of the step. */
export type RequestReply = {
  outcome: Outcome;
  response: HttpResponse | null;
  tookMs: number;
  isAssumed?: true;
};

export const refused = (reason: string): RequestReply => ({
  outcome: { kind: "rejected", class: "config", reason, isDecidedLocally: true },
  response: null,
  tookMs: 0,
});

/** Never rejects. Secret values that the host sends back are masked. */
export async function callHost(
  http: Io["http"],
  call: HttpCall,
  secretValues: readonly string[],
): Promise<RequestReply> {
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  try {
    const reply = await http(call);
    const response = toResponse(reply, secretValues);
    return { outcome: outcomeOf(reply, secretValues), response, tookMs: took() };
  } catch (error) {
    return { outcome: faultOf(error, secretValues), response: null, tookMs: took() };
  }
}

function toResponse({ status, headers, text, json }: HttpReply, secretValues: readonly string[]): HttpResponse {
  const isJson = json !== undefined;
  return { status, headers, body: maskSecretsIn(isJson ? json : text || null, secretValues), isJson };
}

const maxReasonLength = 500;

/** Host names and paths may be secret too. */
function faultOf(error: unknown, secretValues: readonly string[]): Outcome {
  const { outcome } = error as { outcome?: Exclude<Outcome, { kind: "accepted" }> };
  const said = outcome?.reason ?? (error instanceof Error ? error.message : String(error));
  const reason = storableText(maskSecrets(said, secretValues), maxReasonLength);
  return outcome ? { ...outcome, reason } : { kind: "rejected", class: "config", reason };
}

function outcomeOf(reply: HttpReply, secretValues: readonly string[]): Outcome {
  const { status, text, isCut } = reply;
  if (status >= 200 && status < 300) {
    if (!isCut) return { kind: "accepted" };
    return { kind: "rejected", class: "content", reason: "its response is larger than 1 MB" };
  }
  const said = maskSecrets(text.slice(0, 4_000), secretValues).replace(/\s+/g, " ").trim().slice(0, 200);
  const reason = storableText(`it returned ${status}${said ? `, ${said}` : ""}`, maxReasonLength);
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const afterMs = retryAfter(reply);
    return { kind: "retry", reason, ...(afterMs !== undefined && { afterMs }) };
  }
  if (status >= 300 && status < 400)
    return { kind: "rejected", class: "config", reason: `it returned ${status}: redirects are not followed` };
  return { kind: "rejected", class: "content", reason };
}
