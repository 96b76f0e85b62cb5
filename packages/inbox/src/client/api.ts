// Requests to /v1/inbox with a token, which comes from a session or from the page's server. A token that has ended is
// exchanged once, then the request is repeated. The token is sent in a header only: addresses end up in logs.
import { exchange, readBody, readError } from "@tidings/client/exchange";
import { type Call, InboxError, type InboxOptions } from "./types.ts";
import type { Session } from "./wire.ts";

const timeLimitMs = 20_000;

export type Api = ReturnType<typeof createApi>;

export function createApi(options: InboxOptions, onSession: (session: Session) => void) {
  const { url: baseUrl, fetch } = options;
  let token = options.token;
  let renewing: Promise<string> | null = null;

  const openSession = async (): Promise<string> => {
    const { applicationIdentifier, subscriberId, subscriberHash, context, contextHash } = options;
    if (!applicationIdentifier || !subscriberId) {
      throw new InboxError(0, "OPTIONS_MISSING", "The inbox needs applicationIdentifier and subscriberId, or a token");
    }
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    const subscriber = { subscriberId, ...(timezone && { timezone }) };
    const body = { applicationIdentifier, subscriber, subscriberHash, context, contextHash };
    const { data } = await jsonOf<{ data: Session }>(await send("/session", { method: "POST", body }));
    onSession(data);
    return data.token;
  };

  /** One renewal at a time, even when several requests find that the token has ended. */
  const renew = (): Promise<string> => {
    renewing ??= (async () => {
      try {
        if (!options.getToken && options.token) {
          throw new InboxError(401, "INBOX_TOKEN_INVALID", "Token expired, no getToken given");
        }
        token = options.getToken ? await options.getToken() : await openSession();
        return token;
      } finally {
        renewing = null;
      }
    })();
    return renewing;
  };

  const send = async (path: string, { method = "GET", body, signal, headers }: Call, bearer?: string) => {
    // A stream has its own signal; all other requests end after a while.
    const response = await exchange({ baseUrl, fetch }, `/v1/inbox${path}`, {
      method,
      headers: { ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers },
      json: body,
      signal: signal ?? AbortSignal.timeout(timeLimitMs),
      cache: "no-store",
      credentials: "omit",
      // A mark is often followed by leaving the page.
      keepalive: method !== "GET",
    }).catch((cause: Error) => {
      throw new InboxError(0, "UNREACHABLE", cause.message);
    });
    if (!response.ok) throw toError(response, await readBody(response).catch(() => {}));
    return response;
  };

  const request = async (path: string, call: Call = {}): Promise<Response> => {
    const used = token ?? (await renew());
    try {
      return await send(path, call, used);
    } catch (error) {
      if (!(error instanceof InboxError) || error.status !== 401) throw error;
      // Another request may have got a new token in the meantime.
      return send(path, call, token !== used && token ? token : await renew());
    }
  };

  return {
    open: request,
    json: async <T>(path: string, call?: Call) => jsonOf<T>(await request(path, call)),
  };
}

async function jsonOf<T>(response: Response): Promise<T> {
  const body = await readBody(response);
  // A proxy's page.
  if (typeof body === "string") throw toError(response);
  return body as T;
}

function toError({ status }: Response, body?: unknown): InboxError {
  const { code = `HTTP_${status}`, message = `The service returned ${status}` } = readError(body);
  return new InboxError(status, code, message);
}

/** Repeating such a request changes nothing: the session or its origin is refused. */
export const isRefusal = (error: unknown): error is InboxError =>
  error instanceof InboxError &&
  (error.code === "OPTIONS_MISSING" ||
    (error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status)));
