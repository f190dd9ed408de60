import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  errorCodeOf,
  hostScene,
  jsonReply,
  sendRawBytes,
  sendRawRequest,
} from "../../../../test/kit/host-scene.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";

const head = (port: number, more: readonly string[] = [], line = "POST /mcp HTTP/1.1"): string =>
  [line, `Host: 127.0.0.1:${port}`, "Content-Type: application/json", ...more, "", ""].join("\r\n");

describe("requests", () => {
  test("are refused before a body is read that is declared as too large", async () => {
    const host = await hostScene({ maxBodyBytes: 100 });
    const text = await sendRawBytes(host.port, head(host.port, ["Content-Length: 5000000000"]), "{}");
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text.toLowerCase()).toContain("connection: close");
    expect(text).toContain('"code":"body_too_large"');
    expect(host.seen).toHaveLength(0);
  });

  test("are counted while a body without a length arrives", async () => {
    const host = await hostScene({ maxBodyBytes: 100 });
    const chunk = `40\r\n${"a".repeat(64)}\r\n`;
    const text = await sendRawBytes(
      host.port,
      head(host.port, ["Transfer-Encoding: chunked"]),
      chunk,
      chunk,
      "0\r\n\r\n",
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(host.seen).toHaveLength(0);
  });

  test("are refused with a readable status when fetch sends far too much", async () => {
    const host = await hostScene({ maxBodyBytes: 1000 });
    const headers = { "content-type": "application/json" };
    const response = await fetch(host.url, { method: "POST", headers, body: "a".repeat(500_000) });
    expect(response.status).toBe(413);
  });

  test("may have a body of the maximum size in several chunks", async () => {
    const host = await hostScene({ maxBodyBytes: 128 });
    const chunk = `40\r\n${"a".repeat(64)}\r\n`;
    const more = ["Transfer-Encoding: chunked", "Connection: close"];
    expect(await sendRawBytes(host.port, head(host.port, more), chunk, chunk, "0\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    expect(host.seen[0]!.text).toBe("a".repeat(128));
  });

  test("are refused when the body arrives too slowly", async () => {
    const host = await hostScene({ bodyTimeoutMs: 50 });
    const text = await sendRawBytes(host.port, head(host.port, ["Content-Length: 10"]), "{");
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"code":"body_too_slow"');
    expect(host.seen).toHaveLength(0);
  });

  test("receive 100 Continue only after all checks", async () => {
    const host = await hostScene({ maxBodyBytes: 100 });
    const expecting = ["Expect: 100-continue", "Connection: close"];
    const refused = await sendRawBytes(host.port, head(host.port, ["Content-Length: 1000", ...expecting]));
    expect(refused).toMatch(/^HTTP\/1\.1 413 /);
    const taken = await sendRawBytes(host.port, head(host.port, ["Content-Length: 2", ...expecting]), "{}");
    expect(taken).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  test.each([
    ["two hosts", ["Host: evil.example.com", "Content-Length: 2"]],
    ["two tokens", ["Authorization: Bearer a", "Authorization: Bearer b", "Content-Length: 2"]],
    ["two lengths", ["Content-Length: 2", "Content-Length: 3"]],
    ["a length and chunks", ["Content-Length: 2", "Transfer-Encoding: chunked"]],
    ["a folded line", ["X-A: 1\r\n 2", "Content-Length: 2"]],
    ["a bare line feed", ["X-A: 1\nX-B: 2", "Content-Length: 2"]],
    ["a NUL", ["X-A: 1\u0000", "Content-Length: 2"]],
    ["a space before the colon", ["X-A : 1", "Content-Length: 2"]],
  ])("are refused with %s", async (_, more) => {
    const host = await hostScene();
    const text = await sendRawBytes(host.port, head(host.port, [...more, "Connection: close"]), "{}");
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(host.seen).toHaveLength(0);
  });

  test("are refused with too many or too long headers", async () => {
    const host = await hostScene();
    const many = Array.from({ length: 150 }, (_, index) => `X-${index}: 1`);
    expect(await sendRawBytes(host.port, head(host.port, ["Connection: close", ...many]))).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    const long = [`X-A: ${"a".repeat(20_000)}`];
    expect(await sendRawBytes(host.port, head(host.port, long))).toMatch(/^HTTP\/1\.1 431 /);
    expect(host.seen).toHaveLength(0);
  });

  test("are answered in order when they are pipelined, also next to a refused one", async () => {
    const host = await hostScene({}, async (_request, _principal, text) => jsonReply(JSON.parse(text)));
    const one = (id: number, last = false) => {
      const body = `{"id":${id}}`;
      const more = [`Content-Length: ${body.length}`, ...(last ? ["Connection: close"] : [])];
      return head(host.port, more) + body;
    };
    const wrong = head(host.port, ["Content-Length: 2"], "POST /nowhere HTTP/1.1");
    const text = await sendRawBytes(host.port, `${one(1)}${wrong}{}${one(2)}${one(3, true)}`);
    expect(text.match(/HTTP\/1\.1 \d+|"id":\d/g)).toEqual([
      "HTTP/1.1 200",
      '"id":1',
      "HTTP/1.1 404",
      "HTTP/1.1 200",
      '"id":2',
      "HTTP/1.1 200",
      '"id":3',
    ]);
  });

  test("are passed on without their credentials", async () => {
    const host = await hostScene();
    await sendRawRequest(host, {
      headers: { authorization: "Bearer secret-secret-1", cookie: "a=b", "x-other": "kept" },
    });
    const { headers } = host.seen[0]!.request;
    expect([headers.get("authorization"), headers.get("cookie"), headers.get("x-other")]).toEqual([
      null,
      null,
      "kept",
    ]);
    expect(JSON.stringify([host.seen, host.lines])).not.toContain("secret-secret-1");
  });
});

describe("responses", () => {
  const event = (text: string) => new TextEncoder().encode(`data: ${text}\n\n`);
  const streamed = (body: ReadableStream<Uint8Array>) =>
    new Response(body, { headers: { "content-type": "text/event-stream" } });

  test("are sent event by event during a call", async () => {
    let send: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = controller;
      },
    });
    const host = await hostScene({}, () => streamed(body));
    const headers = { "content-type": "application/json" };
    const response = await fetch(host.url, { method: "POST", headers, body: "{}" });
    const reader = response.body!.getReader();
    send!.enqueue(event("one"));
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: one\n\n");
    send!.enqueue(event("two"));
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: two\n\n");
    send!.close();
    expect((await reader.read()).done).toBe(true);
  });

  test("are paused when the client does not read", async () => {
    const chunk = new Uint8Array(64 * 1024);
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        if (pulled * chunk.length > 64 * 1024 * 1024) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const host = await hostScene({}, () => streamed(body));
    const socket = connect(host.port, "127.0.0.1");
    socket.pause();
    socket.write(head(host.port, ["Content-Length: 2"]));
    socket.write("{}");
    await waitFor(() => expect(pulled).toBeGreaterThan(1));
    // A stream without backpressure is read in every turn of the event loop.
    for (let [before, still] = [0, 0]; still < 1_000; still = pulled === before ? still + 1 : 0) {
      before = pulled;
      await setImmediate();
    }
    expect(pulled * chunk.length).toBeLessThan(32 * 1024 * 1024);
    socket.destroy();
  });

  test("are cancelled together with the request when the client disconnects", async () => {
    const left: string[] = [];
    let reported: (() => void) | undefined;
    const both = new Promise<void>((resolve) => {
      reported = () => void (left.length === 2 && resolve());
    });
    const note = (what: string) => {
      left.push(what);
      reported!();
    };
    const host = await hostScene({}, (request) => {
      request.signal.addEventListener("abort", () => note("aborted"));
      return streamed(new ReadableStream({ pull: () => {}, cancel: () => note("cancelled") }));
    });
    const leave = new AbortController();
    const headers = { "content-type": "application/json" };
    await fetch(host.url, { method: "POST", headers, body: "{}", signal: leave.signal });
    leave.abort();
    await both;
    expect(left.sort()).toEqual(["aborted", "cancelled"]);
    expect(host.errors).toEqual([]);
  });

  test("are aborted and logged with 499 when the client disconnects before they begin", async () => {
    let began: (() => void) | undefined;
    const running = new Promise<void>((resolve) => {
      began = resolve;
    });
    const host = await hostScene({}, async (request) => {
      began!();
      await once(request.signal, "abort");
      throw request.signal.reason;
    });
    const leave = new AbortController();
    const headers = { "content-type": "application/json" };
    const asked = fetch(host.url, { method: "POST", headers, body: "{}", signal: leave.signal });
    await running;
    leave.abort();
    await expect(asked).rejects.toThrow();
    await waitFor(() => expect(host.lines).toMatchObject([{ status: 499, agent: "local" }]));
    expect(host.errors).toEqual([]);
  });

  test("have no details of an internal error, which the operator receives", async () => {
    const host = await hostScene({}, () => {
      throw new Error("the password is hunter2");
    });
    const answered = await sendRawRequest(host);
    expect([answered.status, errorCodeOf(answered)]).toEqual([500, "internal_error"]);
    expect(answered.text).not.toContain("hunter2");
    expect(host.errors).toMatchObject([{ message: "the password is hunter2" }]);
  });

  test("break off when their stream fails", async () => {
    const host = await hostScene({}, () =>
      streamed(
        new ReadableStream({
          pull: (controller) => controller.error(new Error("hunter2")),
        }),
      ),
    );
    const headers = { "content-type": "application/json" };
    const read = async () => (await fetch(host.url, { method: "POST", headers, body: "{}" })).text();
    await expect(read()).rejects.toThrow();
    await waitFor(() => expect(host.errors).toHaveLength(1));
  });
});
