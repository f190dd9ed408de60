import { expect, it } from "vitest";
import { assumeComplete } from "../../open-session.ts";

it("a result that does not say its type is complete, and any other stays as it is", () => {
  const silent = { jsonrpc: "2.0" as const, id: 1, result: { content: [] } };
  assumeComplete(silent);
  expect(silent.result).toEqual({ content: [], resultType: "complete" });
  const asking = { jsonrpc: "2.0" as const, id: 1, result: { resultType: "input_required" } };
  assumeComplete(asking);
  expect(asking.result).toEqual({ resultType: "input_required" });
  const request = { jsonrpc: "2.0" as const, id: 1, method: "ping" };
  assumeComplete(request);
  expect(request).toEqual({ jsonrpc: "2.0", id: 1, method: "ping" });
});
