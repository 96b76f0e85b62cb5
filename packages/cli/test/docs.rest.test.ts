// The commands of README.md, of docs/ and of the examples run as pasted: page after page in reading order, in one
// shell, against one service. The other code blocks are parsed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { isLong } from "@tidings/testkit/long";
import { startTestService } from "@tidings/testkit/service";
import { transform } from "esbuild";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../..");

/** Blocks that cannot run here: the page, a text of the block, the reason. */
const notRun: [page: string, text: string, reason: string][] = [
  ["README.md", "npm start ", "the service of this test runs already"],
  ["docs/tutorial.md", "smtp.example.com", "needs a mail server with an account"],
  ["docs/backup.md", "TIDINGS_DATA_DIR=restored tidings", "needs a data folder; packages/server/test/operate has one"],
  ["docs/backup.md", "tidings backup tidings.backup\n", "runs next to the service; backup.test.ts runs it"],
  ["docs/backup.md", "TIDINGS_ROLE=api", "runs until Ctrl-C"],
  ["docs/backup.md", "db.example.com", "needs a database server"],
  ["docs/backup.md", "upgrade-database\n", "is for the embedded database"],
  ["docs/backup.md", "--old-binaries", "is for the embedded database"],
  ["docs/backup.md", "data/postgres.json", "is for the embedded database"],
  ["docs/bridge.md", "https://shop.example", "needs a bridge; framework.rest.test.ts runs one"],
  ["docs/migrating.md", "https://api.novu.co", "needs an account at another service"],
  ["docs/cli.md", "https://api.novu.co", "needs an account at another service"],
  ["docs/cli.md", "https://shop.example", "needs a bridge"],
  ["docs/cli.md", "tail --failed", "runs until Ctrl-C"],
  ["docs/cli.md", "tidings backup", "runs next to the service; backup.test.ts runs it"],
  ["docs/cli.md", "tidings migrate", "runs next to the service"],
  ["docs/cli.md", "tidings grant-sql", "runs next to the service; grant-sql.rest.test.ts runs it"],
  ["docs/cli.md", "tidings outbox install", "needs another database; outbox.test.ts has one"],
  ["docs/cli.md", "tidings sign-in", "runs next to the service; process.rest.test.ts runs it"],
  ["docs/cli.md", "tidings key", "runs next to the service; process.rest.test.ts runs it"],
  ["docs/cli.md", "tidings restore", "needs a data folder"],
  ["docs/cli.md", "upgrade-database", "is for the embedded database"],
  ["docs/cli.md", "listen --forward-to", "runs until Ctrl-C"],
  ["docs/sql-trigger.md", "grant-sql shop", "needs the role of the page; sql-trigger/page.test.ts runs it"],
  ["docs/sql-trigger.md", "db.example.com:5432/shop\n", "needs a database; sql-trigger/page.test.ts runs it"],
  ["docs/sql-trigger.md", "tidings_relay:secret@", "needs a database; sql-trigger/page.test.ts runs it"],
  ["docs/failover.md", "npm run chaos", "takes minutes and starts PostgreSQL; test/chaos/run.long.test.ts runs it"],
  ["docs/proof.md", "npm run chaos", "takes an hour"],
  ["docs/install.md", "docker ", "needs Docker; npm run test:image builds and starts the image without it"],
  ["docs/scale.md", "db.internal", "needs a database server, and starts two services"],
  ["docs/compose.md", "docker compose", "needs Docker"],
  ["docs/kubernetes.md", "kubectl", "needs a cluster"],
  ["docs/systemd.md", "useradd", "needs root and systemd"],
  ["docs/systemd.md", "/etc/tidings/database-url", "needs root and systemd"],
];

/** Blocks of which one command ends with another code than 0: the page, a text of the block, the code, the reason. */
const otherCodes: [page: string, text: string, code: number, reason: string][] = [
  ["docs/files.md", "tidings pull ", 1, "a folder that was just pulled has no scenarios"],
  ["docs/cli.md", "plan --dir notifications --env production", 2, "there are changes"],
  ["docs/cli.md", "apply --dir notifications --env production", 1, "production is confirmed on a terminal"],
  ["docs/cli.md", "publish development production", 1, "production is confirmed on a terminal"],
  ["docs/cli.md", "mail code", 1, "no message has a one-time code"],
  ["docs/delivery.md", "/replay", 22, "no task has failed"],
  ["docs/chat.md", "chat/oauth", 22, "needs an app at Slack"],
  ["examples/workflows-as-files/README.md", "tidings plan", 2, "there are changes before apply, and none after it"],
];

type Block = { page: string; line: number; language: string; text: string };

// The example comes first: what it makes must not be in the way of the tutorial, whenever a reader tries it.
const pages = ["examples/workflows-as-files/README.md", "README.md", ...guides()];
const blocks = pages.flatMap(blocksOf);

/** The pages of docs/ in the order of their list, which has to have them all. */
function guides(): string[] {
  const list = readFileSync(join(root, "docs/README.md"), "utf8");
  const listed = [...list.matchAll(/\]\(([\w-]+\.md)\)/g)].map((match) => match[1]!);
  const files = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  assert.deepEqual(listed.toSorted(), files.toSorted(), "docs/README.md lists every page once");
  return listed.map((name) => `docs/${name}`);
}

function blocksOf(page: string): Block[] {
  const source = readFileSync(join(root, page), "utf8");
  return [...source.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(({ 1: language, 2: text, index }) => ({
    page,
    line: source.slice(0, index).split("\n").length,
    language: language!,
    text: text!,
  }));
}

const encryptionKey = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey });

/** A folder like a clone in which a person works: what commands write is not written here. */
function makeClone(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidings-docs-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["package.json", "node_modules", "packages", "scripts", "docs"])
    symlinkSync(join(root, name), join(folder, name));
  cpSync(join(root, "examples"), join(folder, "examples"), { recursive: true });
  mkdirSync(join(folder, "home"));
  return folder;
}

const preamble = (clone: string): string => `
shopt -s expand_aliases
set -o pipefail
trap 'echo "@failed $?"' ERR
# Without the half second that npx takes to find the same program.
npx() { node "${clone}/node_modules/.bin/$1" "\${@:2}"; }
curl() { command curl --fail-with-body "$@"; }
# A response may end without a line break.
begin() { cd "${clone}"; printf '\\n@block %s\\n' "$1"; }
`;

/** As pasted, but at the address of this service, and with short waits. */
const pasted = (text: string): string =>
  text
    .replaceAll("http://localhost:3000", service.url)
    .replaceAll("--wait 10", "--wait 1")
    .replaceAll('"amount": 30, "unit": "seconds"', '"amount": 1, "unit": "seconds"');

const placeOf = ({ page, line }: Block): string => `${page}:${line}`;

/** The output of each block, by its place; "end" has come when the shell ran them all. */
async function runBlocks(chosen: Block[]): Promise<Map<string, string>> {
  const clone = makeClone();
  const parts = chosen.map((block) => `begin ${placeOf(block)}\n${pasted(block.text)}`);
  // A file, not the standard input, which commands would read from.
  writeFileSync(join(clone, "script.sh"), [preamble(clone), ...parts, "begin end\n"].join("\n"));
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const prefix = join(clone, "home/npm");
  const env = {
    PATH: `${join(prefix, "bin")}:${PATH}`,
    npm_config_prefix: prefix,
    // Nothing but what the service has can be installed.
    npm_config_registry: "http://127.0.0.1:9/",
    TMPDIR,
    NODE_COMPILE_CACHE,
    HOME: join(clone, "home"),
    npm_config_update_notifier: "false",
    DATABASE_URL: service.database.url,
    TIDINGS_ENCRYPTION_KEY: encryptionKey,
    TIDINGS_URL: service.url,
  };
  const shell = spawn("bash", ["-c", "exec bash script.sh 2>&1"], {
    cwd: clone,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  // Without a limit, a command that never ends would time out the whole test, which then does not name the command.
  const limit = setTimeout(() => process.kill(-shell.pid!, "SIGKILL"), isLong ? 1_800_000 : 600_000);
  let output = "";
  for await (const part of shell.stdout) output += part;
  clearTimeout(limit);
  const outputs = output.split(/^@block /m).slice(1);
  return new Map(outputs.map((one) => [one.slice(0, one.indexOf("\n")), one.slice(one.indexOf("\n") + 1)]));
}

/**
 * A page whose 40 commands take as long as those of all others; the tests of the command line run the same commands.
 */
const longPage = "docs/cli.md";
const isRun = (page: string): boolean => isLong || page !== longPage;
/** Later pages use the program that this page installs. */
const isNeeded = ({ text }: Block): boolean => text.includes("npm install --global");

test("every command of README, docs and examples runs as pasted, in order, in one shell", async () => {
  const commands = blocks.filter((block) => block.language === "sh" && (isRun(block.page) || isNeeded(block)));
  const isExcluded = ({ page, text }: Block) => notRun.some(([of, part]) => page === of && text.includes(part));
  const outputs = await runBlocks(commands.filter((block) => !isExcluded(block)));
  assert.ok(outputs.has("end"), `the shell stopped:\n${[...outputs].at(-1)?.join("\n")}`);

  const failures = commands.flatMap((block) => {
    const output = outputs.get(placeOf(block)) ?? "";
    return [...output.matchAll(/^@failed (\d+)$/gm)].map(([, code]) => ({ block, code: Number(code), output }));
  });
  const isExpected = (
    { block, code }: (typeof failures)[number],
    [page, text, expected]: (typeof otherCodes)[number],
  ) => block.page === page && block.text.includes(text) && code === expected;
  const unexpected = failures.filter((failure) => !otherCodes.some((one) => isExpected(failure, one)));
  assert.deepEqual(
    unexpected.map(({ block, code, output }) => `${placeOf(block)} ends with ${code}:\n${output.slice(-2_000)}`),
    [],
  );
  for (const one of otherCodes.filter(([page]) => isRun(page))) {
    const times = failures.filter((failure) => isExpected(failure, one));
    assert.equal(times.length, 1, `${one[0]}: "${one[1]}" ends with ${one[2]} once, because ${one[3]}`);
  }
  for (const [page, text] of notRun.filter(([page]) => isRun(page)))
    assert.ok(
      commands.some((block) => block.page === page && block.text.includes(text)),
      `${page} has "${text}"`,
    );

  const bridge = blocks.find(({ page, language }) => page === "docs/bridge.md" && language === "js")!;
  const { body: workflows } = await service.client("workflows.list", { query: { limit: 100 } });
  const inCode = /workflow\(\s*"([\w-]+)"/.exec(bridge.text)![1]!;
  const taken = workflows.workflows.map(({ workflowId }) => workflowId);
  assert.ok(taken.includes("welcome") && !taken.includes(inCode), `${inCode} of docs/bridge.md is not taken`);

  const outputWith = (text: string) => {
    const block = commands.find((one) => one.page === "docs/tutorial.md" && one.text.includes(text))!;
    return outputs.get(placeOf(block))!;
  };
  const feed = outputWith("api $API/v1/subscribers/ada/notifications/feed");
  for (const order of ["Order 4711 shipped", "Order 4712 shipped"]) assert.ok(feed.includes(order), order);
  const read = outputWith("explain invoice-7 ada");
  assert.match(read, /email was not sent: it is skipped when [\s\S]*email was captured in the mailbox/);
  assert.match(read, /bob@example\.com +Invoice 7/);
  assert.doesNotMatch(read, /ada@example\.com +Invoice 7/);
});

test("every snippet in JSON, YAML, JavaScript and TypeScript can be parsed", async () => {
  const parsers: Record<string, (text: string) => unknown> = {
    json: JSON.parse,
    yaml: (text) => parse(text),
    js: (text) => transform(text, { loader: "js", format: "esm" }),
    jsx: (text) => transform(text, { loader: "jsx", format: "esm" }),
    ts: (text) => transform(text, { loader: "ts", format: "esm" }),
  };
  const snippets = blocks.filter(({ language }) => Object.hasOwn(parsers, language));
  assert.ok(snippets.length > 20, "the pages were read");
  for (const block of snippets) {
    const parsing = (async () => parsers[block.language]!(block.text))();
    await assert.doesNotReject(parsing, `${placeOf(block)} is ${block.language}`);
  }
  const decisions = readdirSync(join(root, "docs/decisions"));
  const list = readFileSync(join(root, "docs/README.md"), "utf8");
  assert.deepEqual(
    [...list.matchAll(/\]\(decisions\/([^)]+)\)/g)].map((match) => match[1]),
    decisions.sort(),
    "docs/README.md lists every decision",
  );
});

test("each job of the CI example installs the command line from the service before it uses it", () => {
  type Step = { run?: string };
  const path = "examples/workflows-as-files/.github/workflows/notifications.yml";
  const { jobs } = parse(readFileSync(join(root, path), "utf8")) as { jobs: Record<string, { steps: Step[] }> };
  for (const [name, { steps }] of Object.entries(jobs)) {
    const runs = steps.map(({ run = "" }) => run);
    const installed = runs.indexOf('npm install --global "$TIDINGS_URL/packages/cli.tgz"');
    const used = runs.findIndex((run) => /^tidings /m.test(run));
    assert.ok(installed !== -1 && installed < used, name);
  }
});
