import { describe, expect, it } from "vitest";
import { responseTextOf } from "./text-response.ts";
import { toUnaryResponse } from "./unary-response.ts";

const opening = "id: 1\nretry: 1000\ndata: \n\n";
const event = (message: object): string => `event: message\nid: 2\ndata: ${JSON.stringify(message)}\n\n`;
const answer = { jsonrpc: "2.0", id: 7, result: { content: [{ type: "text", text: "a\u2028b" }] } };
const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };

/** A stream of events as a transport gives it, each event when it is told to. */
const streaming = () => {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
  });
  const headers = { "content-type": "text/event-stream", "mcp-session-id": "s" };
  return {
    response: new Response(body, { headers }),
    tell: (...texts: readonly string[]) => {
      for (const text of texts) controller?.enqueue(encoder.encode(text));
    },
    end: () => controller?.close(),
  };
};

describe("an answer in a stream of events", () => {
  it("that comes first, and soon, is told as plain JSON under the same session", async () => {
    const { response, tell, end } = streaming();
    tell(opening, event(answer));
    end();
    const plain = await toUnaryResponse(response);
    expect(plain.headers.get("content-type")).toBe("application/json");
    expect(plain.headers.get("mcp-session-id")).toBe("s");
    expect(JSON.parse(responseTextOf(plain) ?? "")).toEqual(answer);
    expect(await plain.json()).toEqual(answer);
  });

  it("that something else was told before stays in its stream, whole and in order", async () => {
    const { response, tell, end } = streaming();
    tell(opening, event(progress));
    const same = await toUnaryResponse(response);
    tell(event(answer));
    end();
    expect(same.headers.get("content-type")).toBe("text/event-stream");
    expect(await same.text()).toBe(opening + event(progress) + event(answer));
  });

  it("that takes its time stays in its stream, and nothing of it is lost", async () => {
    const { response, tell, end } = streaming();
    tell(opening);
    const same = await toUnaryResponse(response, 1);
    expect(responseTextOf(same)).toBeUndefined();
    tell(event(answer));
    end();
    expect(await same.text()).toBe(opening + event(answer));
  });

  it("a stream that ends without one ends", async () => {
    const { response, tell, end } = streaming();
    tell(opening);
    end();
    expect(await (await toUnaryResponse(response)).text()).toBe(opening);
  });

  it("whatever is no stream of events is left alone", async () => {
    const response = Response.json({ jsonrpc: "2.0" });
    expect(await toUnaryResponse(response)).toBe(response);
  });
});
