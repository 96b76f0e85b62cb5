// The page in which `tidings mail open` shows a message's HTML: in a frame without scripts, forms, popups and an
// origin, as the dashboard does. The HTML is not cleaned: a workflow may have switched that off.
import type { CapturedMessage } from "@tidings/contract";
import { plainText } from "./output.ts";

const signs: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => signs[sign]!);

/**
 * A frame of `srcdoc` has the policy of its page too. Pictures of the network would show their sender who looks, and
 * when.
 */
function policyOf(hasImages: boolean): string {
  const remote = hasImages ? " https: http:" : "";
  return [
    "default-src 'none'",
    `style-src 'unsafe-inline'${remote}`,
    `img-src data:${remote}`,
    `font-src data:${remote}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

export function mailPage(
  { subject, html = "" }: Pick<CapturedMessage, "subject" | "html">,
  { hasImages }: { hasImages: boolean },
): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(hasImages)}">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(plainText(subject ?? "Message"))}</title>
<style>
html { color-scheme: light; }
html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block; }
</style>
<body>
<iframe sandbox="" title="Message" srcdoc="${escapeHtml(html)}"></iframe>
</body>
</html>
`;
}
