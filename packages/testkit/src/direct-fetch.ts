// `fetch` that hands requests to the service in this process: the same routes, hooks and bodies, without a socket and a
// parser of HTTP at either end. Tests of what a socket does use the real one.
import type { Service } from "@tidings/server/source/service";

type Answer = Awaited<ReturnType<Service["inject"]>>;

/** Statuses whose responses have no body. */
const bodiless = new Set([204, 205, 304]);

export function createDirectFetch(inject: Service["inject"]): typeof fetch {
  return async (input, init) => {
    // Addresses, bodies and headers become what `fetch` would send.
    const request = new Request(input, init);
    const { host, pathname, search } = new URL(request.url);
    const payload = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const answer = inject({
      method: request.method as "GET",
      url: pathname + search,
      headers: { host, ...Object.fromEntries(request.headers) },
      ...(payload && { payload }),
    });
    return toResponse(await Promise.race([answer, aborted(request.signal)]));
  };
}

function toResponse({ statusCode: status, headers, rawPayload }: Answer): Response {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) if (one !== undefined) sent.append(name, String(one));
  return new Response(bodiless.has(status) ? null : new Uint8Array(rawPayload), { status, headers: sent });
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
