// HTTP requests and replies as plain data. A provider builds the request without sending it and reads the reply
// without fetching it, so both can be tested with nothing but values.

export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

export interface HttpReply {
  status: number;
  /** Names in lower case; repeated headers are joined with a comma. */
  headers: Record<string, string>;
  text: string;
  /** The parsed body, or undefined when it is not JSON or was longer than we read. */
  json: unknown;
}

export interface RequestParts {
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string | undefined>;
  basic?: [user: string, password: string];
  bearer?: string;
  json?: unknown;
  form?: Record<string, string | number | boolean | undefined>;
}

const build = (method: HttpRequest["method"], url: string, parts: RequestParts): HttpRequest => {
  const headers: Record<string, string> = { accept: "application/json" };
  if (parts.basic) headers.authorization = `Basic ${Buffer.from(parts.basic.join(":")).toString("base64")}`;
  if (parts.bearer) headers.authorization = `Bearer ${parts.bearer}`;
  let body: string | undefined;
  if (parts.json !== undefined) {
    headers["content-type"] = "application/json";
    body = JSON.stringify(parts.json);
  } else if (parts.form) {
    headers["content-type"] = "application/x-www-form-urlencoded";
    body = encode(parts.form);
  }
  for (const [name, value] of Object.entries(parts.headers ?? {})) {
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  const query = parts.query ? encode(parts.query) : "";
  const target = query ? `${url}${url.includes("?") ? "&" : "?"}${query}` : url;
  return body === undefined ? { method, url: target, headers } : { method, url: target, headers, body };
};

const encode = (values: Record<string, string | number | boolean | undefined>): string => {
  const encoded = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined) encoded.append(key, String(value));
  return encoded.toString();
};

export const get = (url: string, parts: RequestParts = {}): HttpRequest => build("GET", url, parts);
export const post = (url: string, parts: RequestParts = {}): HttpRequest => build("POST", url, parts);
export const put = (url: string, parts: RequestParts = {}): HttpRequest => build("PUT", url, parts);

/** A member deep inside a reply as text: `textAt(reply.json, "messages", 0, "id")`. Anything but text and numbers is undefined. */
export const textAt = (value: unknown, ...path: (string | number)[]): string | undefined => {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
};
