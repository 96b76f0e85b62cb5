// Requests to /v1/inbox with a token, which comes from a session or from the page's server. A token that has ended is exchanged
// once, then the request is repeated. The token is sent in a header only: addresses end up in logs.
import { InboxError, type InboxOptions } from "./types.ts";

const timeLimitMs = 20_000;

export type Session = {
  token: string;
  unreadCount?: { total: number; severity: { high: number; medium: number; low: number; none: number } };
  isDevelopmentMode?: boolean;
  maxSnoozeDurationHours?: number;
};

export type Api = ReturnType<typeof createApi>;

export type Call = { method?: string; body?: unknown; signal?: AbortSignal; headers?: Record<string, string> };

export function createApi(options: InboxOptions, onSession: (session: Session) => void) {
  const base = `${options.url.replace(/(?<!\/)\/+$/, "")}/v1/inbox`;
  const doFetch: typeof fetch = (input, init) => (options.fetch ?? globalThis.fetch)(input, init);
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
    const answer = await send("/session", { method: "POST", body }, undefined);
    const { data } = (await answer.json()) as { data: Session };
    onSession(data);
    return data.token;
  };

  /** One renewal at a time, also when several requests find that the token has ended. */
  const renew = (): Promise<string> => {
    renewing ??= (async () => {
      try {
        if (!options.getToken && options.token) {
          throw new InboxError(
            401,
            "INBOX_TOKEN_INVALID",
            "The token has ended, and there is no getToken for a new one",
          );
        }
        token = options.getToken ? await options.getToken() : await openSession();
        return token;
      } finally {
        renewing = null;
      }
    })();
    return renewing;
  };

  const send = async (path: string, { method = "GET", body, signal, headers }: Call, bearer: string | undefined) => {
    // A stream has a signal of its own; all other requests end after a while.
    const init: RequestInit = {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ?? AbortSignal.timeout(timeLimitMs),
      cache: "no-store",
      credentials: "omit",
      // A mark is often followed by leaving the page.
      keepalive: method !== "GET",
    };
    const answer = await doFetch(base + path, init).catch((cause: unknown) => {
      throw new InboxError(0, "UNREACHABLE", cause instanceof Error ? cause.message : "The service cannot be reached");
    });
    if (!answer.ok) throw await errorOf(answer);
    return answer;
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
    async json<T>(path: string, call?: Call): Promise<T> {
      const answer = await request(path, call);
      return (answer.status === 204 ? undefined : await answer.json()) as T;
    },
  };
}

async function errorOf(answer: Response): Promise<InboxError> {
  const body = (await answer.json().catch(() => ({}))) as { code?: unknown; message?: unknown };
  const code = typeof body.code === "string" ? body.code : `HTTP_${answer.status}`;
  const message = typeof body.message === "string" ? body.message : `The service answered ${answer.status}`;
  return new InboxError(answer.status, code, message);
}

/** Repeating such a request changes nothing: the session or its origin is refused. */
export const isRefusal = (error: unknown): error is InboxError =>
  error instanceof InboxError &&
  (error.code === "OPTIONS_MISSING" ||
    (error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status)));
