// The settings of an SMTP integration in nodemailer's form: what a tenant may choose, and the service's own limits.

import type { SMTPPoolOptions } from "nodemailer";
import type { SmtpSettings } from "../kit/io.ts";

/** Connections to one server with one set of settings. */
export const maxConnections = 10;

export const connectMs = 10_000;
const socketMs = 30_000;

// The only TLS settings a tenant may choose. Others, such as host, path or socket, would redirect the connection.
// biome-ignore format: a list of names reads better in lines than in a column
const tlsMembers = [
  "rejectUnauthorized", "servername", "ca", "cert", "key", "pfx", "passphrase", "ciphers", "ecdhCurve", "sigalgs",
  "minVersion", "maxVersion", "dhparam",
];

export function poolOptions(settings: SmtpSettings): SMTPPoolOptions {
  const { user, password, dkim, tlsOptions = {} } = settings;
  return {
    host: settings.host,
    port: settings.port,
    secure: settings.secure ?? settings.port === 465,
    requireTLS: settings.requireTls === true,
    ignoreTLS: settings.ignoreTls === true,
    tls: Object.fromEntries(Object.entries(tlsOptions).filter(([name]) => tlsMembers.includes(name))),
    ...(user ? { auth: { user, pass: password ?? "" } } : {}),
    ...(dkim ? { dkim: dkimOptions(dkim) } : {}),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: socketMs,
    maxConnections,
    // A server may close a pooled connection between two messages; nodemailer then moves the message to another
    // connection, and only while not a byte of it was sent.
    maxRequeues: 2,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * The headers that are signed if present. RFC 8058 asks for both unsubscribe headers; nodemailer's own list has only
 * the first.
 */
// biome-ignore format: a list of names reads better in lines than in a column
const signedHeaders = [
  "From", "Sender", "Reply-To", "Subject", "Date", "Message-ID", "To", "Cc", "MIME-Version", "Content-Type",
  "Content-Transfer-Encoding", "In-Reply-To", "References", "List-Id", "List-Help", "List-Unsubscribe",
  "List-Unsubscribe-Post", "List-Subscribe", "List-Post", "List-Owner", "List-Archive",
];

function dkimOptions({ domain, selector, privateKey }: NonNullable<SmtpSettings["dkim"]>) {
  return {
    domainName: domain,
    keySelector: selector,
    privateKey,
    headerFieldNames: signedHeaders.join(":"),
  };
}
