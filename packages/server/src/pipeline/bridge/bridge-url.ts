// Addresses of bridges, as callers give them. Which hosts may be connected to is checked with each call
// (lib/url-guard.ts).

const maxLength = 2_048;

/** Why the text cannot be the address of a bridge, worded to follow its name; null when it can. */
export function bridgeUrlFault(text: string): string | null {
  if (text.length > maxLength) return `must not be longer than ${maxLength} characters`;
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return "must be a web address, such as https://example.com/api/novu";
  }
  return url.username || url.password ? "must not contain a user name or password" : null;
}

/** The address that an event names: in production, only a sync decides which code runs. */
export function eventBridgeFault(text: string, isDevelopment: boolean): string | null {
  if (!isDevelopment) return "bridgeUrl can be given in a development environment only";
  const fault = bridgeUrlFault(text);
  return fault && `bridgeUrl ${fault}`;
}
