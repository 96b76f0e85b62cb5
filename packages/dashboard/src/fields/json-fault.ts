// What is wrong with a text that should be JSON. Pure.

/** Where a text stops being JSON, in the words of the browser: "line 3: expected ','". Empty when it is JSON. */
export function jsonFault(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    const { message } = error as Error;
    const line = /line (\d+)/.exec(message)?.[1] ?? lineAt(text, message);
    const [what = ""] = message.replace(/^JSON\.parse: /, "").split(/ in JSON at| at line| \(line|, "/);
    return [line && `line ${line}`, what.charAt(0).toLowerCase() + what.slice(1)].filter(Boolean).join(": ");
  }
}

function lineAt(text: string, message: string): string | undefined {
  if (/end of (?:JSON|data)|unterminated/i.test(message)) return String(text.trimEnd().split("\n").length);
  const position = /position (\d+)/.exec(message)?.[1];
  return position && String(text.slice(0, Number(position)).split("\n").length);
}
