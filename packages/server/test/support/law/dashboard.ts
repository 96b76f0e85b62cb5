// The law of the dashboard: screens know nothing of each other, and what they share knows nothing of them.
import type { SourceFile } from "./law.ts";
import { importsOf, resolveImport } from "./structure.ts";

/**
 * The folders inside src/ that contain a file; null for other packages, for files at the root and for
 * `screens/index.ts`.
 */
function placeOf(path: string): { room: string; screen?: string } | null {
  const [, inside] = /^packages\/dashboard\/src\/(.+)$/.exec(path) ?? [];
  const [room, ...rest] = inside?.split("/") ?? [];
  if (room === undefined || rest.length === 0) return null;
  return room === "screens" ? { room, screen: rest.length > 1 ? rest[0] : undefined } : { room };
}

/** Style sheets count: a screen that uses those of another changes with it. */
export function screenFaults(file: SourceFile): string[] {
  const from = placeOf(file.path);
  if (!from) return [];
  return importsOf(file).flatMap((target) => {
    const to = target.startsWith(".") ? placeOf(resolveImport(file.path, target)) : null;
    if (!to) return [];
    if (from.screen && to.screen && from.screen !== to.screen)
      return [`imports ${target}: the screen ${from.screen} may not import the screen ${to.screen}`];
    const isShared = from.room !== "screens" && from.room !== "app";
    return isShared && (to.room === "screens" || to.room === "app")
      ? [`imports ${target}: ${from.room} may not import ${to.room}`]
      : [];
  });
}
