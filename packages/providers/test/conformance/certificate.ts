// A certificate for tests, made on the spot: a private key in the repository would only alarm the tools that look for
// them. X.509 v1 (RFC 5280) with the least a reader wants: a serial number, two dates and the public key.

import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);

function utcTime(date: string): Buffer {
  return der(
    0x17,
    Buffer.from(
      `${new Date(date)
        .toISOString()
        .replace(/[-:T]|\.\d+/g, "")
        .slice(2, 14)}Z`,
    ),
  );
}

const sha256WithRsa = sequence(der(0x06, Buffer.from("2a864886f70d01010b", "hex")), der(0x05));

export function makeCertificate(validFrom: string, validTo: string): { pem: string; privateKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const validity = sequence(utcTime(validFrom), utcTime(validTo));
  const spki = publicKey.export({ format: "der", type: "spki" });
  const emptyName = sequence();
  const content = sequence(der(0x02, Buffer.from([1])), sha256WithRsa, emptyName, validity, emptyName, spki);
  const signature = createSign("sha256").update(content).sign(privateKey);
  const whole = sequence(content, sha256WithRsa, der(0x03, Buffer.from([0]), signature)).toString("base64");
  return { pem: `-----BEGIN CERTIFICATE-----\n${whole}\n-----END CERTIFICATE-----\n`, privateKey };
}
