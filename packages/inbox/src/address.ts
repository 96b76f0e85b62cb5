// The address of the service that a script was loaded from.

const pathOfScript = /^(.*)\/inbox(?:\.js|\/[^/]+\.js)$/;

/**
 * A script of the service is `<address>/inbox.js` or `<address>/inbox/<file>.js`; the address has a path where a proxy
 * serves the service below one. A script with another name, such as a customer's bundle, reveals nothing about a path.
 */
export function addressOfScript(script: string): string {
  const { origin, pathname } = new URL(script);
  return origin + (pathOfScript.exec(pathname)?.[1] ?? "");
}
