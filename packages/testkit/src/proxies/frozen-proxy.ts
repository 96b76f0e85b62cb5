// A proxy to a service that can stop responding without a word, as a frozen process or a cut cable does: connections
// stay open.
import { atEnd } from "../at-end.ts";
import { findPort } from "../programs/ports.ts";
import { openLink } from "./link.ts";

/** `freeze`: nothing passes in either direction until `thaw`. */
export async function startFreezableProxy(service: { url: string }) {
  const { hostname, port } = new URL(service.url);
  const link = await openLink(await findPort(), { host: hostname, port: Number(port) });
  atEnd(link.close);
  return {
    url: `http://127.0.0.1:${link.port}`,
    freeze: () => void link.set({ kind: "stall" }),
    thaw: () => void link.set({ kind: "open" }),
  };
}
