// Opens an address or a file in the browser of the person at the terminal. Where there is no terminal, nothing is
// opened.
import { spawn } from "node:child_process";
import { platform } from "node:os";
import type { Io } from "./io.ts";

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

export function openInBrowser(io: Io, target: string): void {
  if (!io.stdout.isTTY) return;
  const [program, ...words] = io.env.BROWSER ? [io.env.BROWSER] : (openers[platform()] ?? ["xdg-open"]);
  const child = spawn(program!, [...words, target], { stdio: "ignore", detached: true });
  // The address was printed: a machine without a browser is not an error.
  child.on("error", () => undefined);
  child.unref();
}
