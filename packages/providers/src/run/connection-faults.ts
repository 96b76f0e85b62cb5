// Why a provider could not be reached, in words that people know. The reason of an error is the text of a system error
// or of a library: "connect ECONNREFUSED 127.0.0.1:25" becomes "connection refused".

export type ConnectionFault = {
  cause: "refused" | "unresolved" | "timeout" | "closed" | "unreachable" | "certificate" | "tls";
  /** As it appears in brackets: "connection refused". */
  words: string;
  /** A whole sentence about it, with what to check. */
  sentence: string;
};

type Cause = ConnectionFault["cause"];

/** The first that matches: an error about a certificate also says that a connection was closed. */
const causes: [cause: Cause, pattern: RegExp, words: string, sentence: (where: string, reason: string) => string][] = [
  [
    "refused",
    /ECONNREFUSED/,
    "connection refused",
    (where) => `No response from ${where} (connection refused). Is the server running?`,
  ],
  [
    "unresolved",
    /ENOTFOUND|EAI_AGAIN|ENODATA|cannot be resolved|was not resolved/i,
    "host name not found",
    (where) => `The host name ${where} was not found (DNS). Check its spelling.`,
  ],
  [
    "certificate",
    /certificate|self[- ]signed|CERT_|UNABLE_TO_(VERIFY|GET)|altnames/i,
    "certificate not accepted",
    (where, reason) => `The certificate of ${where} is not accepted: ${reason}`,
  ],
  [
    "tls",
    /wrong version number|SSL routines|EPROTO\b|ERR_SSL|ERR_TLS|TLS handshake|secure TLS connection|STARTTLS/i,
    "TLS handshake failed",
    (where) => `No secure connection to ${where}: the TLS handshake failed. Check the port and the TLS options.`,
  ],
  [
    "timeout",
    /ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|did not (?:answer|respond) (?:in time|within)|time-?out|Greeting never received|did not take the message within/i,
    "no response in time",
    (where) => `No response from ${where} (timeout). Check host and port, and that no firewall is between.`,
  ],
  [
    "unreachable",
    /EHOSTUNREACH|ENETUNREACH|EHOSTDOWN/,
    "no route to the host",
    (where) => `No way to ${where} (no route to the host). Check the address and the network of this service.`,
  ],
  [
    "closed",
    /ECONNRESET|EPIPE|ECONNABORTED|socket hang up|other side closed|Unexpected socket close|Connection closed/i,
    "connection closed",
    (where) => `${where} closed the connection without a response. Is it the right port?`,
  ],
];

const addressPatterns = [
  /^\d{1,3}(?:\.\d{1,3}){3}:\d{1,5}\b/,
  /^(?:\[[0-9a-f:]{2,45}\]|[0-9a-f:]{0,45}::[0-9a-f:]{0,45}):\d{1,5}\b/i,
];

/** Address and port, which are a separate word in the reasons of Node. */
function addressIn(reason: string): string | undefined {
  const words = reason.split(/[\s(,]/);
  return addressPatterns.flatMap((pattern) => words.flatMap((word) => pattern.exec(word)?.[0] ?? []))[0];
}

/** The host that reasons of HTTP calls begin with. */
const hostIn = (reason: string): string | undefined =>
  reason.match(/^([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:: | did not)/i)?.[1];

/**
 * Null when the reason is none of a connection: the provider has responded. `where`: host and port, if they are known.
 */
export function findConnectionFault(reason: string, where?: string): ConnectionFault | null {
  if (/^HTTP \d{3}\b/.test(reason)) return null;
  const found = causes.find(([, pattern]) => pattern.test(reason));
  if (!found) return null;
  const [cause, , words, sentence] = found;
  const place = where ?? (cause === "unresolved" ? hostIn(reason) : (addressIn(reason) ?? hostIn(reason)));
  return { cause, words, sentence: sentence(place ?? "the provider", reason.replace(/\.$/, "")).replace(/^t/, "T") };
}

const classWords: Record<string, string> = {
  auth: "credentials refused",
  quota: "quota used up",
  config: "settings refused",
};

/** An error in a few words: of the connection, the HTTP status, or what its class means. */
export function summarizeError(reason: string, errorClass: string): string {
  const fault = findConnectionFault(reason);
  if (fault) return fault.words;
  const said = [classWords[errorClass], reason.match(/\bHTTP \d{3}\b/)?.[0]].filter(Boolean);
  if (said.length > 0) return said.join(", ");
  return errorClass === "unknown" ? "no response" : "temporary error";
}
