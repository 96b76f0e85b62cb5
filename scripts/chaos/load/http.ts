// The HTTP client of the load. It shares two cores with everything that is tested, so it keeps connections open, and
// leaves it to its callers whether a body is parsed.
import { Agent, type IncomingMessage, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 100, maxFreeSockets: 20, scheduling: "lifo" });

export type Request = {
  url: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** JSON. */
  body?: string;
  timeoutMs: number;
};

/** `status` is null, and `fault` the name of the error, if no complete response came. */
export type Answer = { status: number | null; body: string; fault?: string; retryAfterMs?: number };

export function sendRequest({ url, method, path, headers, body, timeoutMs }: Request): Promise<Answer> {
  return new Promise((resolve) => {
    const options = {
      agent,
      method,
      headers: body ? { ...headers, "content-type": "application/json" } : headers,
    };
    const call = request(`${url}${path}`, options, (response) => readAnswer(response, finish));
    // For the whole request. A timeout of the socket would begin again with every byte.
    const timer = setTimeout(() => call.destroy(Object.assign(new Error(), { code: "TIMEOUT" })), timeoutMs);
    function finish(answer: Answer) {
      clearTimeout(timer);
      resolve(answer);
    }
    call.on("error", (error: NodeJS.ErrnoException) =>
      finish({ status: null, body: "", fault: error.code ?? error.name }),
    );
    call.end(body);
  });
}

function readAnswer(response: IncomingMessage, finish: (answer: Answer) => void): void {
  let body = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    body += chunk;
  });
  response.on("error", (error: NodeJS.ErrnoException) =>
    finish({ status: null, body: "", fault: error.code ?? error.name }),
  );
  response.on("end", () => {
    const seconds = Number(response.headers["retry-after"]);
    const retryAfterMs = seconds > 0 ? Math.min(seconds, 10) * 1_000 : undefined;
    finish({ status: response.statusCode!, body, retryAfterMs });
  });
}

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

export const closeConnections = (): void => agent.destroy();
