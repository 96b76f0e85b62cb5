// The outbox in a customer's database, for the command line, which bundles it: it runs where no service is installed.
export { installOutbox, uninstallOutbox } from "./install.ts";
export type { OutboxTarget } from "./session.ts";
export { findOutboxStatus } from "./state.ts";
