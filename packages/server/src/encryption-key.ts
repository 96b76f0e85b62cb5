// The encryption key of an installation with the embedded database: generated, and stored in the data folder.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError } from "./config.ts";
import { parseEncryptionKeys } from "./lib/secrets.ts";

/**
 * The embedded database needs no key from the operator: one is generated and stored in the data folder. A database that
 * was set up with a key never gets another one, because its secrets could not be decrypted with it.
 */
export function ensureEncryptionKey(config: Config, { isSetUp }: { isSetUp: boolean }): Config {
  if (config.encryptionKeys.length > 0) return config;
  mkdirSync(config.dataDir, { recursive: true });
  const file = join(config.dataDir, "encryption.key");
  if (!existsSync(file)) {
    if (isSetUp) {
      throw new ConfigError(
        `${file} is missing, and the secrets in this database are encrypted with the key in it. ` +
          "Put the file back from a backup, or give the key as TIDINGS_ENCRYPTION_KEY.",
      );
    }
    writeFileSync(file, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx" });
    chmodSync(file, 0o600);
  }
  try {
    return { ...config, encryptionKeys: parseEncryptionKeys(readFileSync(file, "utf8").trim()) };
  } catch (error) {
    throw new ConfigError(
      `The encryption key in ${file} ${(error as Error).message}. Put the file back from a backup, or give the key as ` +
        "TIDINGS_ENCRYPTION_KEY.",
    );
  }
}
