import { describe, expect, it } from "vitest";
import { requestMetaOf } from "./client-capabilities.ts";

const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const correlationOf = (meta: string | undefined, header: string | undefined) => {
  const headers = new Headers(header === undefined ? {} : { traceparent: header });
  const context = {
    mcpReq: { _meta: meta === undefined ? {} : { traceparent: meta } },
    http: { req: { headers } },
  };
  return requestMetaOf({} as never, context as never).correlationId;
};

describe("trace of a client", () => {
  it("is taken from the message first and then from the header", () => {
    expect(correlationOf(trace, undefined)).toBe(trace);
    expect(correlationOf(undefined, trace)).toBe(trace);
    expect(correlationOf(trace, trace.replace("01", "00"))).toBe(trace);
  });

  it.each([
    "studio ada",
    "replay of run-1",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    `${trace}-more`,
    trace.replace(/^00/, "ff"),
    trace.toUpperCase(),
    `01-${trace.slice(3)}-a b`,
  ])("is dropped when it is not a traceparent: %s", (text) => {
    expect(correlationOf(text, text)).toBeUndefined();
  });
});
