// A DNS server that knows the TXT records of a test. A name that is not in the table does not exist; one with null gets
// no response.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { atEnd } from "@tidings/testkit/at-end";

export async function startDns(records: Record<string, string | null>): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, end } = readName(query);
    const text = Object.hasOwn(records, name) ? records[name]! : undefined;
    if (text === null) return;
    socket.send(answer(query, end, text), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  atEnd(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at] !== 0) {
    labels.push(query.toString("ascii", at + 1, at + 1 + query[at]!));
    at += query[at]! + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5 };
}

/** The question is repeated, as a resolver expects it; code 3 says that the name does not exist. */
function answer(query: Buffer, end: number, text: string | undefined): Buffer {
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(text === undefined ? 0 : 1, 6);
  const question = query.subarray(12, end);
  if (text === undefined) return Buffer.concat([header, question]);
  const record = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, text.length + 1, text.length]);
  return Buffer.concat([header, question, record, Buffer.from(text)]);
}
