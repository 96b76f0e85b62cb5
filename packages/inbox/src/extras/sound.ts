// The sound of a new message: a file of the page, or two notes. One tab plays it: the visible one where there is one.
// It is silent while the panel is open and visible and, as browsers require, before the first click or key press in the
// page.
import { isSafeUrl } from "../ui/urls.ts";

/** Hidden tabs let the visible one go first. */
const politenessMs = 400;
/** How much later than the first tab another tab may receive the same message. */
const holdMs = 10_000;
/** Several messages at once play one sound. */
const restMs = 2_000;

export function createSound(host: HTMLElement): { play: (id: string) => void } {
  let context: AudioContext | null = null;
  let lastAt = Number.NEGATIVE_INFINITY;
  const start = async () => {
    const name = host.getAttribute("sound");
    if (name === null || performance.now() - lastAt < restMs) return;
    lastAt = performance.now();
    if (name === "" || name === "default") {
      context ??= new AudioContext();
      if (context.state === "suspended") await context.resume();
      playNotes(context);
    } else if (isSafeUrl(name)) await new Audio(name).play();
    host.dispatchEvent(new CustomEvent("sound"));
  };
  const play = async (id: string) => {
    const isHidden = document.visibilityState === "hidden";
    if (!host.hasAttribute("sound") || (!isHidden && host.shadowRoot?.querySelector("#panel:popover-open"))) return;
    const { locks } = navigator as { locks?: LockManager };
    // Plain HTTP has no locks: the visible tab plays.
    if (!locks) return isHidden ? undefined : start();
    if (isHidden) await wait(politenessMs);
    await locks.request(`tidings-sound ${id}`, { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      await start();
      await wait(holdMs);
    });
  };
  // A sound that the browser refuses is not an error of the page.
  return { play: (id) => void play(id).catch(() => {}) };
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function playNotes(context: AudioContext): void {
  for (const [index, frequency] of [659.25, 880].entries()) {
    const at = context.currentTime + index * 0.12;
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(0.12, at + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.35);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.4);
  }
}
