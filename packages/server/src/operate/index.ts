// The commands that work on the database of an installation, for the command line `tidings`: the second entry of the
// server's bundle, which the command line loads when one of them is called.
export { createSignInLink, showKey } from "./access.ts";
export { type BackupOptions, type BackupResult, backup } from "./backup.ts";
export { migrateDatabase } from "./migrate.ts";
export { openText, type RestoreOptions, type RestoreResult, restore } from "./restore.ts";
export { grantSql, listSqlGrants, revokeSql } from "./sql-grants.ts";
export { type UpgradeOptions, type UpgradeResult, upgradeDatabase } from "./upgrade-database.ts";
export { bytesText, countText, timeText } from "./words.ts";
