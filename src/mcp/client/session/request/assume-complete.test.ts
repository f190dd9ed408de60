import { expect, it } from "vitest";
import { assumeComplete } from "../../open-session.ts";

it("assumeComplete sets resultType to complete when it is missing and changes nothing else", () => {
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
