import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findConnectionFault, summarizeError } from "../../src/run/connection-faults.ts";

const cases: [reason: string, where: string | undefined, words: string, sentence: string][] = [
  [
    "connect ECONNREFUSED 127.0.0.1:3225",
    undefined,
    "connection refused",
    "No response from 127.0.0.1:3225 (connection refused). Is the server running?",
  ],
  [
    "api.example.com: connect ECONNREFUSED ::1:443",
    undefined,
    "connection refused",
    "No response from ::1:443 (connection refused). Is the server running?",
  ],
  [
    "connect ECONNREFUSED 10.0.0.1:25",
    "mail.example.com:25",
    "connection refused",
    "No response from mail.example.com:25 (connection refused). Is the server running?",
  ],
  [
    "getaddrinfo ENOTFOUND mail.exmaple.com",
    "mail.exmaple.com",
    "host name not found",
    "The host name mail.exmaple.com was not found (DNS). Check its spelling.",
  ],
  [
    "Greeting never received",
    "mail.example.com:25",
    "no response in time",
    "No response from mail.example.com:25 (timeout). Check host and port, and that no firewall is between.",
  ],
  [
    "api.example.com did not respond in time",
    undefined,
    "no response in time",
    "No response from api.example.com (timeout). Check host and port, and that no firewall is between.",
  ],
  [
    "self-signed certificate",
    "mail.example.com:465",
    "certificate not accepted",
    "The certificate of mail.example.com:465 is not accepted: self-signed certificate",
  ],
  [
    "80A8B:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number",
    "mail.example.com:25",
    "TLS handshake failed",
    "No secure connection to mail.example.com:25: the TLS handshake failed. Check the port and the TLS options.",
  ],
  [
    "read ECONNRESET",
    undefined,
    "connection closed",
    "The provider closed the connection without a response. Is it the right port?",
  ],
];

describe("faults of a connection", () => {
  for (const [reason, where, words, sentence] of cases)
    it(`in words: ${reason}`, () => {
      const fault = findConnectionFault(reason, where);
      assert.deepEqual([fault?.words, fault?.sentence], [words, sentence]);
    });

  it("are none when the provider answered", () => {
    for (const reason of [
      "535 5.7.8 Invalid login",
      'HTTP 401: {"error":"timeout of the token"}',
      "550 5.1.1 no such user",
    ])
      assert.equal(findConnectionFault(reason), null);
  });

  it("errors in a few words", () => {
    assert.equal(summarizeError("connect ECONNREFUSED 127.0.0.1:25", "transient"), "connection refused");
    assert.equal(summarizeError("HTTP 503: down", "transient"), "HTTP 503");
    assert.equal(summarizeError("HTTP 401: no", "auth"), "credentials refused, HTTP 401");
    assert.equal(summarizeError("535 5.7.8 Invalid login", "auth"), "credentials refused");
    assert.equal(summarizeError("451 try later", "transient"), "temporary error");
    assert.equal(summarizeError("the provider adapter failed", "unknown"), "no response");
  });
});
