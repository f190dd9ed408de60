import { describe, expect, it } from "vitest";
import { createEventStore, parseRemoteStream, withStreamedRequests } from "./event-store.ts";

const idOf = (requests: unknown): string =>
  `other.1.${Buffer.from(JSON.stringify(requests)).toString("base64url")}`;

describe("event id of another gateway", () => {
  it("names the requests of its stream", async () => {
    const store = createEventStore({ events: 10, bytes: 1_000, name: "other" });
    const body = [
      { jsonrpc: "2.0", id: 1, method: "tools/call" },
      { jsonrpc: "2.0", id: "b", method: "ping" },
    ];
    const id = await withStreamedRequests(body, () => store.storeEvent("s", {} as never));
    expect(parseRemoteStream(id, "this")).toEqual({
      name: "other",
      requests: [
        [1, true],
        ["b", false],
      ],
    });
    expect(parseRemoteStream(id, "other")).toBeUndefined();
  });

  it.each<readonly [string, unknown]>([
    ["many requests", Array.from({ length: 17 }, (_, at) => [at, true])],
    ["the same request many times", Array.from({ length: 10 }, () => [1, true])],
    ["a request without an id", [[null, true]]],
    ["a request with an object for an id", [[{}, true]]],
    ["a request without its kind", [[1]]],
    ["a long id", [["x".repeat(2_000), true]]],
    ["a value that is not a list", { a: 1 }],
  ])("is refused when a client made it up with %s", (_, requests) => {
    expect(parseRemoteStream(idOf(requests), "this")).toBeUndefined();
  });

  it("names no requests when there are too many", async () => {
    const store = createEventStore({ events: 10, bytes: 1_000, name: "other" });
    const body = Array.from({ length: 17 }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/call" }));
    const id = await withStreamedRequests(body, () => store.storeEvent("s", {} as never));
    expect(parseRemoteStream(id, "this")).toBeUndefined();
  });
});
