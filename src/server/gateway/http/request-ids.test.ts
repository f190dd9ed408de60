import { expect, it } from "vitest";
import { prefixRequestIds, sortMessagesByGateway } from "./request-ids.ts";

const sentBy = (name: string, message: object): unknown => {
  const sent: unknown[] = [];
  const transport = { send: async (each: unknown) => void sent.push(each) };
  prefixRequestIds(transport as never, name);
  void transport.send(message);
  return sent[0];
};

it("adds the gateway to the ids of its requests and cancellations, but not of its responses", () => {
  expect(sentBy("a", { jsonrpc: "2.0", id: 0, method: "elicitation/create" })).toMatchObject({ id: "a/0" });
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } };
  expect(sentBy("a", cancelled)).toMatchObject({ params: { requestId: "a/0" } });
  expect(sentBy("a", { jsonrpc: "2.0", id: 0, result: {} })).toMatchObject({ id: 0 });
});

it("routes a response to the gateway that sent the request, under the original id", () => {
  const answer = { jsonrpc: "2.0", id: "b/3", result: {} };
  expect(sortMessagesByGateway(answer, "b")).toEqual({
    own: { ...answer, id: 3 },
    others: [],
    cancellations: [],
  });
  expect(sortMessagesByGateway(answer, "a")).toEqual({
    own: undefined,
    others: [{ name: "b", message: { ...answer, id: 3 } }],
    cancellations: [],
  });
});

it("routes each message of a batch, and a cancellation to other gateways as well", () => {
  const request = { jsonrpc: "2.0", id: "x/1", method: "ping" };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  const sorted = sortMessagesByGateway([request, { jsonrpc: "2.0", id: "b/0", result: {} }, cancelled], "a");
  expect(sorted.own).toEqual([request, cancelled]);
  expect(sorted.others.map(({ name }) => name)).toEqual(["b"]);
  expect(sorted.cancellations).toEqual([cancelled]);
});
