// Spans, as the layers see them. OpenTelemetry is behind this type (telemetry/sdk.ts), and is loaded only where it is
// configured: elsewhere a context has no `tracing`.

type Attributes = Record<string, string | number | boolean | undefined>;

export type SpanOptions = {
  name: string;
  /** `server`: a request to this service. `client`: a call of another one. `consumer`: work from the queue. */
  kind: "server" | "client" | "consumer" | "internal";
  attributes: Attributes;
  /** Contexts of other spans that this one has to do with. */
  links?: string[];
  /** When it began, if that was earlier (ms since 1970). */
  startedAt?: number;
};

/** `error`: a short code, without what a provider or a caller wrote, which may be personal. */
type SpanEnd = { attributes?: Attributes; error?: string; endedAt?: number };

export type TraceSpan = {
  /** As it is stored with an event, and sent on (lib/trace-context.ts). */
  context: string;
  end(result?: SpanEnd): void;
};

export type Tracing = {
  /** The span of a request. `parent`: the trace context that it was sent with. */
  begin(parent: string | null, options: SpanOptions): TraceSpan;
  /** Continues a trace with another span; null when that trace is not recorded. */
  continue(parent: string | null, options: SpanOptions): TraceSpan | null;
};
