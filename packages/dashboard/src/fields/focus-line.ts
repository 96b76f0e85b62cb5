// Where typing goes on in a condition that has a new line.

/** The caret stands after what the line begins with. */
export function focusLine(box: HTMLElement | null, line: string): void {
  const field = box?.querySelector<HTMLInputElement>(`${line} input[list]`);
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}
