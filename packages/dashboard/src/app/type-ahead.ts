// What is typed between Ctrl-K and the moment in which the palette has the focus: it is loaded and opened meanwhile,
// and no key is lost.

let typed = "";
let stop: (() => void) | null = null;
/** A palette that could not be loaded takes no keys any longer. */
const maxMs = 3_000;

export function startTypeAhead(): void {
  takeTypeAhead();
  const listen = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape") return void takeTypeAhead();
    if (event.key === "Backspace") typed = typed.slice(0, -1);
    else if (event.key.length === 1) typed += event.key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const timer = setTimeout(takeTypeAhead, maxMs);
  window.addEventListener("keydown", listen, { capture: true });
  stop = () => {
    clearTimeout(timer);
    window.removeEventListener("keydown", listen, { capture: true });
  };
}

/** What was typed until now; from now on the field gets the keys itself. */
export function takeTypeAhead(): string {
  stop?.();
  stop = null;
  const text = typed;
  typed = "";
  return text;
}
