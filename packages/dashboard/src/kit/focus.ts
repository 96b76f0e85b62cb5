// Moves the focus to where a person continues.

/** Frames that a changed address, and the form that it shows, take to be drawn. */
const maxFrames = 30;

/** The first field of the page that is marked as wrong, once it is drawn; without one nothing moves. */
export function focusFault(frames = maxFrames): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>("main [aria-invalid=true], main [data-fault=true]");
    if (!field) return frames > 0 ? focusFault(frames - 1) : undefined;
    const editor = field.shadowRoot?.querySelector<HTMLElement>(".cm-content");
    (editor ?? field).focus({ preventScroll: true });
    field.scrollIntoView({ block: "center" });
  });
}
