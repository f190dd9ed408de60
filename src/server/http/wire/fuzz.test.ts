import { connect } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../../test/kit/any-text.ts";
import { hostScene, sendRawRequest } from "../../../../test/kit/host-scene.ts";

const soak = process.env.HAFT_SOAK !== undefined;

/** Sends bytes and returns the answer when the socket closes. */
const send = (port: number, bytes: Buffer): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.end(bytes));
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });

const line = fc.oneof(
  fc.constantFrom(
    "Content-Length: 2",
    "Content-Length: 0",
    "Content-Length: -1",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: identity",
    "Content-Type: application/json",
    "Connection: keep-alive, upgrade",
    "Upgrade: websocket",
    "Expect: 100-continue",
    "Expect: nothing",
    "Origin: null",
    "Authorization: Bearer",
    "Host: evil.example",
  ),
  anyText({ maxLength: 40 }),
);

const request = fc.record({
  first: fc.oneof(
    fc.constantFrom(
      "POST /mcp HTTP/1.1",
      "GET /mcp HTTP/1.1",
      "POST /mcp?a=%00 HTTP/1.0",
      "OPTIONS * HTTP/1.1",
    ),
    anyText({ maxLength: 60 }),
  ),
  lines: fc.array(line, { maxLength: 6 }),
  body: fc.oneof(fc.constantFrom("{}", "2\r\n{}\r\n0\r\n\r\n", ""), anyText({ maxLength: 40 })),
  isOurs: fc.boolean(),
});

test("answers any bytes with HTTP or nothing, and passes on only requests to this host", async () => {
  const host = await hostScene({ bodyTimeoutMs: 200 });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 3 }), async (requests) => {
      const texts = requests.map(({ first, lines, body, isOurs }) =>
        [first, ...(isOurs ? [`Host: 127.0.0.1:${host.port}`] : []), ...lines, "", body].join("\r\n"),
      );
      const answered = await send(host.port, Buffer.from(texts.join(""), "latin1"));
      expect(answered === "" || answered.startsWith("HTTP/1.1 ")).toBe(true);
    }),
    { numRuns: soak ? 3_000 : 150 },
  );
  for (const { request: seen } of host.seen) expect(new URL(seen.url).host).toBe(`127.0.0.1:${host.port}`);
  expect(host.errors).toEqual([]);
  expect((await sendRawRequest(host)).status).toBe(200);
});
