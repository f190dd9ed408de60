import { describe, expect, it } from "vitest";
import { createEventStore, parseRemoteStream, withStreamedRequests } from "./event-store.ts";

const idOf = (requests: unknown): string =>
  `other.1.${Buffer.from(JSON.stringify(requests)).toString("base64url")}`;

describe("the id of an event of another gateway", () => {
  it("names the requests that its stream answers", async () => {
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
    ["the same request again and again", Array.from({ length: 10 }, () => [1, true])],
    ["a request without an id", [[null, true]]],
    ["a request with an object for an id", [[{}, true]]],
    ["a request that does not say what it is", [[1]]],
    ["a long id", [["x".repeat(2_000), true]]],
    ["no list", { a: 1 }],
  ])("is taken for none where a client made it up: %s", (_, requests) => {
    expect(parseRemoteStream(idOf(requests), "this")).toBeUndefined();
  });

  it("names no requests where they are too many to be looked up", async () => {
    const store = createEventStore({ events: 10, bytes: 1_000, name: "other" });
    const body = Array.from({ length: 17 }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/call" }));
    const id = await withStreamedRequests(body, () => store.storeEvent("s", {} as never));
    expect(parseRemoteStream(id, "this")).toBeUndefined();
  });
});
