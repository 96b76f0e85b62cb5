// One request and its response, as every caller of the API needs them. The inbox widget has this file in its script, so
// it is small: no operation ids, no retries.

export type Target = {
  /** Origin of the service, with a path prefix where it is behind one: `https://tidings.example.com`. */
  baseUrl: string;
  fetch?: typeof globalThis.fetch;
};

/** `json`: a value that is sent as the body. */
export type Exchange = RequestInit & { headers?: Record<string, string>; json?: unknown };

/** The response, whatever its status. Rejects as `fetch` does. */
export function exchange(
  { baseUrl, fetch = globalThis.fetch }: Target,
  path: string,
  init: Exchange,
): Promise<Response> {
  const { headers, json } = init;
  const content = json !== undefined && {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(json),
  };
  return fetch(withoutSlash(baseUrl) + path, { ...init, ...content });
}

const withoutSlash = (url: string): string => (url.endsWith("/") ? withoutSlash(url.slice(0, -1)) : url);

/** The response's JSON; its text where it is not JSON, which the service never sends: a proxy's page. */
export async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type ErrorBody = { code?: string; message?: string; errorId?: string };

/** What an error body says (docs/errors.md); nothing where the response is not the service's. */
export const readError = (body: unknown): ErrorBody => Object(body);
