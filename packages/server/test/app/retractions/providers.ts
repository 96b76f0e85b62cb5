// Third parties of the retraction tests: one server for each protocol. What it does with a message is in the address of
// the message: `sent` accepts it, `failed` refuses it, `retry` is not available, `out` responds when the test says so,
// `lost` accepts it without a response.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { atEnd } from "@tidings/testkit/at-end";
import { gate } from "@tidings/testkit/mail/scripted-mail";

type Called = { method: string; path: string; body: string; topic: string | undefined };

/** Discord, Rocket.Chat, Slack, SMS, web push and push webhooks. `release`: calls with `out` get their response. */
export async function startProviders() {
  const released = gate();
  const calls: Called[] = [];
  let count = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path = ""] = (request.url ?? "").split("?");
    const topic = request.headers.topic as string | undefined;
    const call = { method: request.method ?? "", path, body: Buffer.concat(chunks).toString("utf8"), topic };
    calls.push(call);
    const reply = (status: number, json?: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(json ? JSON.stringify(json) : undefined);
    const isChange = call.method !== "POST" || /chat\.(delete|update)$/.test(path);
    if (isChange && path.includes("-locked")) return reply(401, { code: 0, message: "401: Unauthorized" });
    if (isChange) return call.method === "DELETE" ? reply(204) : reply(200, { success: true, message: { _id: "r" } });
    const isIn = (word: string) => `${path} ${call.body}`.includes(`-${word}`);
    if (isIn("out")) await released.opened;
    if (isIn("retry")) return reply(503, {});
    if (isIn("lost")) return request.socket.destroy();
    if (isIn("failed")) return reply(400, { success: false, error: "refused" });
    if (path.startsWith("/slack")) return response.writeHead(200, { "content-type": "text/html" }).end("ok");
    const id = `m${++count}`;
    return reply(path.startsWith("/web") ? 201 : 200, { id, success: true, message: { _id: id } });
  };
  const listen = async (server: Server) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    atEnd(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    });
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(createServer((request, response) => void handle(request, response)));
  const certificate = makeCertificate();
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), certificate.cert]);
  const securePort = await listen(
    createSecureServer(certificate, (request, response) => void handle(request, response)),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    secureUrl: `https://localhost:${securePort}`,
    release: released.open,
    opened: released.opened,
    callsTo: (part: string, method = "POST") =>
      calls.filter((call) => call.method === method && `${call.path} ${call.body}`.includes(part)),
  };
}

/** Browsers take push services by https alone. */
function makeCertificate(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), "tidings-push-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = spawnSync("openssl", ["req", "-x509", ...curve, ...subject, "-keyout", key, "-out", cert]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  const certificate = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  rmSync(folder, { recursive: true });
  return certificate;
}
