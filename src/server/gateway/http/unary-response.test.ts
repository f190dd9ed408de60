import { describe, expect, it } from "vitest";
import { responseTextOf } from "../../request/http-error.ts";
import { toUnaryResponse } from "./unary-response.ts";

const opening = "id: 1\nretry: 1000\ndata: \n\n";
const event = (message: object): string => `event: message\nid: 2\ndata: ${JSON.stringify(message)}\n\n`;
const answer = { jsonrpc: "2.0", id: 7, result: { content: [{ type: "text", text: "a\u2028b" }] } };
const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };

/** An event stream of a transport. The test sends each event. */
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

describe("response in an event stream", () => {
  it("becomes plain JSON in the same session when it comes first and soon", async () => {
    const { response, tell, end } = streaming();
    tell(opening, event(answer));
    end();
    const plain = await toUnaryResponse(response);
    expect(plain.headers.get("content-type")).toBe("application/json");
    expect(plain.headers.get("mcp-session-id")).toBe("s");
    expect(JSON.parse(responseTextOf(plain) ?? "")).toEqual(answer);
    expect(await plain.json()).toEqual(answer);
  });

  it("stays in its stream when another event came before it", async () => {
    const { response, tell, end } = streaming();
    tell(opening, event(progress));
    const same = await toUnaryResponse(response);
    tell(event(answer));
    end();
    expect(same.headers.get("content-type")).toBe("text/event-stream");
    expect(await same.text()).toBe(opening + event(progress) + event(answer));
  });

  it("stays in its stream when it is late, and no event is lost", async () => {
    const { response, tell, end } = streaming();
    tell(opening);
    const same = await toUnaryResponse(response, 1);
    expect(responseTextOf(same)).toBeUndefined();
    tell(event(answer));
    end();
    expect(await same.text()).toBe(opening + event(answer));
  });

  it("leaves a stream that ends without a response as it is", async () => {
    const { response, tell, end } = streaming();
    tell(opening);
    end();
    expect(await (await toUnaryResponse(response)).text()).toBe(opening);
  });

  it("leaves any other response as it is", async () => {
    const response = Response.json({ jsonrpc: "2.0" });
    expect(await toUnaryResponse(response)).toBe(response);
  });
});
