// Moves the focus to a new line of a condition.

/** The caret is set after the beginning that the line has. */
export function focusLine(box: HTMLElement | null, line: string): void {
  const field = box?.querySelector<HTMLInputElement>(`${line} input[list]`);
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}
