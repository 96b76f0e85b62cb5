// Trace contexts of W3C (`traceparent` and `tracestate`), as they are stored with an event: the text of `traceparent`,
// and behind a space that of `tracestate` if there is one. A malformed header is ignored, as the standard says: no
// event is refused because of its trace.

type Headers = Record<string, string | string[] | undefined>;

/** Version, trace id, span id, flags, and what a later version may add. */
const parentPattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** What the standard asks a service to pass on of `tracestate`, at least. */
const maxStateLength = 512;
const maxStateMembers = 32;
const statePattern = /^[a-z\d][a-z\d_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** The bit of the flags that says that the trace is recorded. */
const sampledFlag = 1;

/** The trace context of a request; null when it has none, or a malformed one. */
export function readTraceContext({ traceparent, tracestate }: Headers): string | null {
  if (typeof traceparent !== "string") return null;
  const [, version, traceId, spanId, flags, more] = parentPattern.exec(traceparent.trim()) ?? [];
  if (traceId === undefined || (version === "00" && more !== undefined)) return null;
  // Flags of later versions have no meaning here.
  const isSampled = Number.parseInt(flags!, 16) & sampledFlag;
  return formatTraceContext({ traceId, spanId: spanId!, isSampled: isSampled === 1 }, readState(tracestate));
}

function readState(header: string | string[] | undefined): string {
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  if (text.length > maxStateLength) return "";
  const members = text.split(",").map((member) => member.trim());
  const given = members.filter((member) => member !== "");
  return given.length <= maxStateMembers && given.every((member) => statePattern.test(member)) ? given.join(",") : "";
}

export type SpanIds = { traceId: string; spanId: string; isSampled: boolean };

export const formatTraceContext = ({ traceId, spanId, isSampled }: SpanIds, state = ""): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}${state && ` ${state}`}`;

/** The parts of a stored context. */
export const openTraceContext = (context: string): SpanIds & { state: string } => ({
  traceId: traceIdOf(context),
  spanId: context.slice(36, 52),
  isSampled: isSampled(context),
  state: context.slice(56),
});

export const traceIdOf = (context: string): string => context.slice(3, 35);

export const isSampled = (context: string): boolean => context[54] === "1";

/** The headers that pass a stored context on. */
export function traceHeaders(context: string | null): Record<string, string> {
  if (context === null) return {};
  const [traceparent, tracestate] = [context.slice(0, 55), context.slice(56)];
  return { traceparent, ...(tracestate && { tracestate }) };
}

/** The present time as spans have it: in milliseconds since 1970, with their fractions. */
export const spanTime = (): number => performance.timeOrigin + performance.now();
