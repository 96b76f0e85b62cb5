// Calls to endpoints that the environment's owner chose: webhooks, bridges, HTTP requests of steps. They get the trace
// context, so that the trace continues in their code.
import type { Ctx } from "../../context.ts";
import { traceHeaders } from "../../lib/trace-context.ts";

/**
 * `traced`: the headers for the call. Where the trace is not recorded here, they name the one of the event. `end` takes
 * the status of the response and, after a failure, a code.
 */
export function beginCallSpan(
  { tracing }: Ctx,
  trace: string | null = null,
  { name, url, method = "POST" }: { name: string; url: string; method?: string },
) {
  const span = tracing?.continue(trace, {
    name,
    kind: "client",
    // The path of the address may have a secret.
    attributes: { "http.request.method": method, "server.address": URL.parse(url)?.hostname },
  });
  return {
    traced: traceHeaders(span?.context ?? trace),
    end: (status: number | null, error: string | undefined) =>
      span?.end({ attributes: { "http.response.status_code": status ?? undefined }, error }),
  };
}
