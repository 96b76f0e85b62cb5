// The encryption key of a backup: never in it unless the operator asks, and recognized by its fingerprint, from which
// the key cannot be computed.
import { hkdfSync } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { ensureEncryptionKey } from "../encryption-key.ts";
import { createSecrets, type EncryptionKey } from "../lib/secrets.ts";
import type { BackupHeader } from "./format.ts";
import { listText, OperateError } from "./words.ts";

const fingerprintOf = (key: Buffer): string =>
  Buffer.from(hkdfSync("sha256", key, "", "tidings key fingerprint", 16)).toString("hex");

export const fingerprintsOf = (keys: EncryptionKey[]): BackupHeader["keys"] =>
  keys.map(({ version, key }) => ({ version, fingerprint: fingerprintOf(key) }));

const fileOf = ({ dataDir }: Config): string => join(dataDir, "encryption.key");

/** Where the key is, for people. */
export const placeOfKey = (config: Config): string =>
  config.encryptionKeys.length > 0 ? "TIDINGS_ENCRYPTION_KEY" : fileOf(config);

/** The keys of an installation that is set up. */
export const readKeys = (config: Config): EncryptionKey[] =>
  ensureEncryptionKey(config, { isSetUp: true }).encryptionKeys;

/** A backup whose secrets nobody can read is worth nothing: found out when it is taken. */
export function requireMatch(keys: EncryptionKey[], probe: string | null, place: string): void {
  if (probe === null) return;
  try {
    createSecrets(keys).decrypt(probe);
  } catch {
    throw new OperateError(
      `The encryption key in ${place} does not belong to this database: a backup with it could not be used. ` +
        "Run the command with the settings of the service.",
    );
  }
}

/** The keys as TIDINGS_ENCRYPTION_KEY has them. */
export const keysText = (keys: EncryptionKey[]): string =>
  keys.map(({ version, key }) => `${version}:${key.toString("base64")}`).join(",");

const shown = (keys: BackupHeader["keys"]): string =>
  listText(keys.map(({ version, fingerprint }) => `${fingerprint} (version ${version})`));

/**
 * Refuses a target whose key is not that of the backup. Returns the key to write into the data folder, where the backup
 * encloses it and the folder has none.
 */
export function checkKeys(config: Config, header: BackupHeader): string | null {
  const hasKey = config.encryptionKeys.length > 0 || existsSync(fileOf(config));
  if (!hasKey && header.encryptionKey) return header.encryptionKey;
  const where = config.databaseUrl ? "TIDINGS_ENCRYPTION_KEY" : `${fileOf(config)} or in TIDINGS_ENCRYPTION_KEY`;
  const needed = `Put the key of the service that was backed up in ${where}, and run the command again. Nothing was changed.`;
  if (!hasKey)
    throw new OperateError(
      `The secrets in this backup are encrypted with a key that is not here (fingerprint ${shown(header.keys)}). ${needed}`,
    );
  const own = fingerprintsOf(readKeys(config));
  const isMissing = ({ version, fingerprint }: BackupHeader["keys"][number]) =>
    !own.some((one) => one.version === version && one.fingerprint === fingerprint);
  const missing = header.keys.filter(isMissing);
  if (missing.length > 0)
    throw new OperateError(
      `The encryption key in ${placeOfKey(config)} is not the one that the backup needs: its fingerprint is ${shown(own)}, ` +
        `the backup needs ${shown(missing)}. ${needed}`,
    );
  return null;
}

export async function writeKey(config: Config, text: string): Promise<string> {
  const file = fileOf(config);
  await writeFile(file, `${text}\n`, { mode: 0o600, flag: "wx" });
  await chmod(file, 0o600);
  return file;
}
