// The table of commands. A command is loaded when it is called, so that the others cost nothing at start.
import type { Command } from "../command.ts";
import { wrongUsage } from "../failure.ts";

export type CommandEntry = { group: string; summary: string; load: () => Promise<Command> };

export const commands: Readonly<Record<string, CommandEntry>> = {
  init: {
    group: "Files",
    summary: "Create a folder of workflow files",
    load: async () => (await import("./files/init.ts")).init,
  },
  pull: {
    group: "Files",
    summary: "Write the files of an environment",
    load: async () => (await import("./files/pull.ts")).pull,
  },
  validate: {
    group: "Files",
    summary: "Check the files, without a service",
    load: async () => (await import("./files/validate.ts")).validate,
  },
  plan: {
    group: "Files",
    summary: "Show what applying the files would change",
    load: async () => (await import("./files/plan.ts")).plan,
  },
  backtest: {
    group: "Files",
    summary: "Replay the past days with the files",
    load: async () => (await import("./files/backtest.ts")).backtest,
  },
  apply: {
    group: "Files",
    summary: "Apply the files, all or nothing",
    load: async () => (await import("./files/apply.ts")).apply,
  },
  publish: {
    group: "Files",
    summary: "Copy workflows from one environment to another",
    load: async () => (await import("./files/publish.ts")).publish,
  },
  types: {
    group: "Files",
    summary: "Write TypeScript types for payloads",
    load: async () => (await import("./files/types.ts")).types,
  },
  schema: {
    group: "Files",
    summary: "Write JSON Schemas for editors",
    load: async () => (await import("./files/schema.ts")).schema,
  },
  trigger: {
    group: "Run",
    summary: "Send an event, or show what it would do",
    load: async () => (await import("./run/trigger.ts")).trigger,
  },
  signal: {
    group: "Run",
    summary: "Tell waiting runs that something happened",
    load: async () => (await import("./run/signal.ts")).signal,
  },
  explain: {
    group: "Run",
    summary: "Explain why a subscriber got a message or not",
    load: async () => (await import("./run/explain.ts")).explain,
  },
  mcp: {
    group: "Run",
    summary: "Serve the tools for assistants on standard input",
    load: async () => (await import("./run/mcp.ts")).mcp,
  },
  tail: {
    group: "Run",
    summary: "Show events as they arrive",
    load: async () => (await import("./run/tail.ts")).tail,
  },
  cancel: {
    group: "Run",
    summary: "Cancel the waiting steps of an event",
    load: async () => (await import("./run/cancel.ts")).cancel,
  },
  retract: {
    group: "Run",
    summary: "Retract an event, also what was sent",
    load: async () => (await import("./run/retract.ts")).retract,
  },
  audiences: {
    group: "Run",
    summary: "Count the people of a rule, and keep fixed lists",
    load: async () => (await import("./run/audiences.ts")).audiences,
  },
  broadcasts: {
    group: "Run",
    summary: "Check and send a message to an audience",
    load: async () => (await import("./run/broadcasts.ts")).broadcasts,
  },
  test: {
    group: "Test",
    summary: "Run scenario files on a test clock",
    load: async () => (await import("./testing/test.ts")).test,
  },
  render: {
    group: "Test",
    summary: "Compare rendered content with golden files",
    load: async () => (await import("./testing/render.ts")).render,
  },
  clock: {
    group: "Test",
    summary: "Show or move the test clock",
    load: async () => (await import("./operate/clock.ts")).clock,
  },
  mail: {
    group: "Test",
    summary: "Read captured messages and their codes",
    load: async () => (await import("./operate/mail.ts")).mail,
  },
  doctor: {
    group: "Operate",
    summary: "Diagnose problems and suggest fixes",
    load: async () => (await import("./operate/doctor.ts")).doctor,
  },
  migrate: {
    group: "Operate",
    summary: "Bring the database of an installation up to date",
    load: async () => (await import("./operate/migrate.ts")).migrate,
  },
  health: {
    group: "Operate",
    summary: "Ask whether the service is ready, or alive",
    load: async () => (await import("./operate/health.ts")).health,
  },
  "sign-in": {
    group: "Operate",
    summary: "Create a link that signs you in as an owner",
    load: async () => (await import("./operate/sign-in.ts")).signIn,
  },
  key: {
    group: "Operate",
    summary: "Print the API key of an environment",
    load: async () => (await import("./operate/key.ts")).key,
  },
  "dead-letters": {
    group: "Operate",
    summary: "List undelivered messages, or send them again",
    load: async () => (await import("./operate/dead-letters.ts")).deadLetters,
  },
  listen: {
    group: "Operate",
    summary: "Forward webhook events to a local address",
    load: async () => (await import("./operate/listen.ts")).listen,
  },
  workflows: {
    group: "Operate",
    summary: "List workflows and their state",
    load: async () => (await import("./operate/workflows.ts")).workflows,
  },
  keys: {
    group: "Operate",
    summary: "List, create, change and revoke API keys",
    load: async () => (await import("./operate/keys.ts")).keys,
  },
  environments: {
    group: "Operate",
    summary: "List environments, or one's keys",
    load: async () => (await import("./operate/environments.ts")).environments,
  },
  env: {
    group: "Operate",
    summary: "List, set or delete an environment's variables",
    load: async () => (await import("./operate/env.ts")).env,
  },
  api: {
    group: "Operate",
    summary: "Send one request to the API",
    load: async () => (await import("./operate/api.ts")).api,
  },
  integrations: {
    group: "Operate",
    summary: "List integrations, or check their credentials",
    load: async () => (await import("./operate/integrations.ts")).integrations,
  },
  "grant-sql": {
    group: "Operate",
    summary: "Let a role of the service's database trigger events",
    load: async () => (await import("./operate/grant-sql.ts")).grantSql,
  },
  outbox: {
    group: "Operate",
    summary: "Let transactions in your database trigger events",
    load: async () => (await import("./operate/outbox.ts")).outbox,
  },
  backup: {
    group: "Operate",
    summary: "Back up the installation to a file",
    load: async () => (await import("./operate/backup.ts")).backup,
  },
  restore: {
    group: "Operate",
    summary: "Restore a backup into an empty database",
    load: async () => (await import("./operate/restore.ts")).restore,
  },
  "upgrade-database": {
    group: "Operate",
    summary: "Move the embedded database to a new PostgreSQL",
    load: async () => (await import("./operate/upgrade-database.ts")).upgradeDatabase,
  },
  import: {
    group: "Move",
    summary: "Import from another installation",
    load: async () => (await import("./move/import.ts")).importCommand,
  },
  bridge: {
    group: "Move",
    summary: "Sync the workflows that your code defines",
    load: async () => (await import("./move/bridge.ts")).bridge,
  },
  login: {
    group: "Session",
    summary: "Store an environment's key",
    load: async () => (await import("./session/login.ts")).login,
  },
  logout: {
    group: "Session",
    summary: "Forget a stored key",
    load: async () => (await import("./session/logout.ts")).logout,
  },
  use: {
    group: "Session",
    summary: "Switch between stored environments",
    load: async () => (await import("./session/use.ts")).use,
  },
  whoami: {
    group: "Session",
    summary: "Show the service and the environment in use",
    load: async () => (await import("./session/whoami.ts")).whoami,
  },
  open: {
    group: "Session",
    summary: "Open the dashboard",
    load: async () => (await import("./session/open.ts")).open,
  },
  completion: {
    group: "Session",
    summary: "Print a shell completion script",
    load: async () => (await import("./session/completion.ts")).completion,
  },
};

export async function findCommand(name: string): Promise<Command> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry) return entry.load();
  // Loaded only here: the rest of the checks is large.
  const { suggestName } = await import("@tidings/server/checks");
  const meant = suggestName(name, Object.keys(commands));
  throw wrongUsage(`There is no command "${name}".`, meant ? `Did you mean \`tidings ${meant}\`?` : "tidings --help");
}
