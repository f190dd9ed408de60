import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFrameServer } from "./frame-server.ts";

const ask = async (origin: string, line: string): Promise<string> => {
  const { port, host } = new URL(origin);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  socket.end(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let answer = "";
  for await (const piece of socket) answer += String(piece);
  return answer.split("\r\n")[0]!;
};

describe("frame server", () => {
  it("answers invalid addresses with an error and keeps running", async () => {
    const frames = await openFrameServer(() => ["http://127.0.0.1:7334"]);
    onTestFinished(() => frames[Symbol.asyncDispose]());
    for (const line of ["GET //", "GET //[", "GET http://[/", "GET /%ff", "OPTIONS *", "TRACE /"]) {
      expect(await ask(frames.origin, line), line).toMatch(/^HTTP\/1\.1 4\d\d/);
    }
    expect(await ask(frames.origin, "GET /?studio=http://127.0.0.1:7334")).toMatch(/^HTTP\/1\.1 200/);
  });
});
