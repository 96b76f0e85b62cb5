// The user of the service and the data folder: a folder that this user cannot use is refused with a sentence that says
// whose it is, and a user id without a name, as containers have, gets one for initdb.
import { constants } from "node:fs";
import { access, stat, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";

/** The user of this process cannot use the data folder. Shown to the operator without a stack. */
export class DataFolderError extends Error {
  override name = "DataFolderError";
}

/** Fails with a sentence where this user could not write, or could not run PostgreSQL on the cluster in the folder. */
export async function requireAccess(dataDir: string): Promise<void> {
  const uid = process.getuid?.();
  // Root may write everywhere, and Windows has no user ids.
  if (!uid) return;
  await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  const cluster = join(dataDir, "postgres");
  const owner = (await stat(cluster).catch(() => undefined))?.uid ?? uid;
  if (owner !== uid)
    throw new DataFolderError(
      `The database in ${cluster} belongs to user ${owner}, and this service runs as user ${uid}, as which PostgreSQL ` +
        `refuses to open it. Start the service as user ${owner}, or stop it and run: chown -R ${uid} ${dataDir}`,
    );
}

/** For `.catch`: errors of the file system as a sentence about the folder; others unchanged. */
export const explainFolderError = (dataDir: string) => async (error: NodeJS.ErrnoException) => {
  if (error.syscall === undefined) throw error;
  if (error.code === "EROFS")
    throw new DataFolderError(
      `The data folder ${dataDir} is on a read-only file system. Mount a writable volume there, name another folder ` +
        "with TIDINGS_DATA_DIR, or set DATABASE_URL to a PostgreSQL of your own.",
    );
  const uid = process.getuid?.();
  if (!uid || (error.code !== "EACCES" && error.code !== "EPERM"))
    throw new DataFolderError(`The data folder ${dataDir} cannot be used: ${error.message}.`);
  const { path, owner } = await findOwner(dataDir);
  throw new DataFolderError(
    `This service runs as user ${uid} and may not write to ${path === dataDir ? "its data folder " : ""}${path}, which ` +
      `belongs to ${owner}. Give the data folder to this user: chown -R ${uid} ${dataDir} (for a container, on the folder ` +
      `or volume that is mounted there; in Kubernetes, set fsGroup: ${uid} in the pod's security context).`,
  );
};

/** The folder, or the nearest one above it that exists, and whose it is. */
async function findOwner(dataDir: string): Promise<{ path: string; owner: string }> {
  for (let path = dataDir; ; path = dirname(path)) {
    const found = await stat(path).catch(() => undefined);
    if (!found && path !== dirname(path)) continue;
    const mode = ((found?.mode ?? 0) & 0o777).toString(8);
    return { path, owner: found ? `user ${found.uid} and group ${found.gid} with mode ${mode}` : "another user" };
  }
}

/**
 * Environment variables with which initdb finds a name for the id of this user. It asks the system for one and refuses
 * to run without; a container that was started with any id (`--user 4711`, OpenShift) has none in /etc/passwd.
 * libnss_wrapper, which the image has, reads the name from a file in `folder`. The server itself needs no name.
 */
export async function nameUser(folder: string): Promise<Record<string, string>> {
  if (process.platform !== "linux" || hasName()) return {};
  const [uid, gid] = [process.getuid!(), process.getgid!()];
  const [passwd, group] = [join(folder, "passwd"), join(folder, "group")];
  await writeFile(passwd, `tidings:x:${uid}:${gid}::${folder}:/bin/false\n`);
  await writeFile(group, `tidings:x:${gid}:\n`);
  return { LD_PRELOAD: "libnss_wrapper.so", NSS_WRAPPER_PASSWD: passwd, NSS_WRAPPER_GROUP: group };
}

function hasName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
}

/** Why initdb failed: its own text, or a sentence where the name is missing. */
export const explainInitdb = (text: string): string =>
  text.includes("could not look up effective user ID")
    ? `User id ${process.getuid?.()} has no name on this machine, and PostgreSQL's initdb needs one: add the id to ` +
      "/etc/passwd, install libnss-wrapper, which the image of Tidings has, or start the service as another user."
    : text;
