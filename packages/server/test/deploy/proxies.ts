// nginx and Caddy with the files of deploy/, in front of a service of the test. Only addresses and the certificate are
// replaced.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { closedPort } from "@tidings/testkit/mail/smtp";
import { eventually } from "@tidings/testkit/wait";

const root = join(import.meta.dirname, "../../../..");

/** Debian has them in folders that only root searches. */
const env = { ...process.env, PATH: [process.env.PATH, "/usr/sbin", "/usr/local/sbin"].join(delimiter) };

const isInstalled = (program: string, ...args: string[]): boolean => spawnSync(program, args, { env }).status === 0;

const skipWithout = (program: string, isThere: boolean): string | false =>
  isThere ? false : `NO ${program.toUpperCase()}: its file was not tried. Install it (apt-get install ${program})`;

export const skipWithoutNginx = skipWithout("nginx", isInstalled("nginx", "-v") && isInstalled("openssl", "version"));
export const skipWithoutCaddy = skipWithout("caddy", isInstalled("caddy", "version"));

/** `ca`: the certificate that clients trust, where the proxy has one. */
export type RunningProxy = { url: string; ca?: string; stop(): Promise<void> };

/** Replaces each text, which has to occur once. */
export function replaceAll(text: string, replacements: [from: string, to: string][]): string {
  return replacements.reduce((changed, [from, to]) => {
    if (changed.split(from).length !== 2) throw new Error(`not there once: ${from}`);
    return changed.replace(from, () => to);
  }, text);
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

type Running = { child: ChildProcess; port: number; folder: string };

async function whenOpen({ child, port, folder }: Running): Promise<() => Promise<void>> {
  let output = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`the proxy ended:\n${output}`);
    return isOpen(port);
  }, "the proxy");
  return async () => {
    // A gentle stop would wait for open streams.
    if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  };
}

const makeFolder = (): string => mkdtempSync(join(tmpdir(), "tidings-proxy-"));

/** `plainUrl`: where it serves HTTP without a certificate. */
export async function startNginx(target: string): Promise<RunningProxy & { plainUrl: string }> {
  const folder = makeFolder();
  const [port, redirectPort] = [await closedPort(), await closedPort()];
  const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=tidings", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const made = spawnSync("openssl", ["req", "-x509", ...curve, ...subject, "-keyout", key, "-out", certificate]);
  if (made.status !== 0) throw new Error(`no certificate: ${made.stderr}`);
  const live = "/etc/letsencrypt/live/notify.example.com";
  const file = replaceAll(readFileSync(join(root, "deploy/nginx/tidings.conf"), "utf8"), [
    ["listen 80;\n\tlisten [::]:80;", `listen 127.0.0.1:${redirectPort};`],
    ["listen 443 ssl http2;\n\tlisten [::]:443 ssl http2;", `listen 127.0.0.1:${port} ssl http2;`],
    [`${live}/fullchain.pem`, certificate],
    [`${live}/privkey.pem`, key],
    ["server 127.0.0.1:3000;", `server ${target};`],
  ]);
  writeFileSync(join(folder, "tidings.conf"), file);
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr warn;
events { worker_connections 256; }
http { access_log off; ${places.join(" ")} include ${folder}/tidings.conf; }`;
  writeFileSync(join(folder, "nginx.conf"), main);
  const args = ["-e", "stderr", "-p", folder, "-c", join(folder, "nginx.conf")];
  const child = spawn("nginx", args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const stop = await whenOpen({ child, port, folder });
  const plainUrl = `http://127.0.0.1:${redirectPort}`;
  return { url: `https://127.0.0.1:${port}`, plainUrl, ca: readFileSync(certificate, "utf8"), stop };
}

/** `settings`: variables that the file reads. */
export async function startCaddy(name: string, settings: Record<string, string>): Promise<RunningProxy> {
  const folder = makeFolder();
  const port = await closedPort();
  const source = readFileSync(join(root, "deploy/caddy", name), "utf8");
  // Without a certificate, and without its administration at a fixed port.
  writeFileSync(join(folder, name), `{\n\tadmin off\n\tauto_https off\n}\n${source}`);
  const address = `http://127.0.0.1:${port}`;
  const own = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, SITE_ADDRESS: address, ...settings };
  const args = ["run", "--config", join(folder, name), "--adapter", "caddyfile"];
  const child = spawn("caddy", args, { env: { ...env, ...own }, stdio: ["ignore", "ignore", "pipe"] });
  return { url: address, stop: await whenOpen({ child, port, folder }) };
}
