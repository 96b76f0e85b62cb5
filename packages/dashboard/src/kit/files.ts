// Files that the reader saves, and their sizes.

/** Saves bytes or a text as a file. Its type says nothing about its content, so that no browser shows it instead. */
export function saveFile(name: string, content: BlobPart): void {
  const address = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** "812 B", "1.4 kB", "2.0 MB", "3.1 GB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
