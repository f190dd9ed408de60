import type { ToolCallResult, ToolDetail, Validation } from "haft/studio";
import { describe, expect, it } from "vitest";
import { studioScene } from "../../../../test/kit/studio-scene.ts";

describe("tool calls from the Studio", () => {
  it("go through the pipeline as a known principal only", async () => {
    const { get, post: send } = await studioScene({ ledger: "sqlite::memory:" });
    const done = await send<ToolCallResult>(
      "/tools/find_order/call",
      { input: { id: "7" } },
      "ToolCallResult",
    );
    expect(done).toMatchObject({ ok: true, value: { id: "7", total: 12 }, caller: { agent: "clerk" } });
    const call = await get<{ operator: string }>(`/calls/${done.entryId}`, "Call");
    expect(call.operator).toBe("ada");
    const refused = await send<ToolCallResult>(
      "/tools/refund/call",
      { input: { id: "7" }, as: "guest" },
      "ToolCallResult",
    );
    expect(refused).toMatchObject({ ok: false, code: "not_visible", caller: { agent: "guest" } });
    const asked = await send<ToolCallResult>("/tools/refund/call", { input: { id: "7" } }, "ToolCallResult");
    expect(asked.approvalId).toBeDefined();
    expect(await send("/tools/find_order/call", { input: {}, as: "root" })).toMatchObject({ status: 400 });
    expect(await send("/tools/nothing/call", { input: {} })).toMatchObject({ status: 404 });
  });

  it("are validated with pointers, and can be copied as code", async () => {
    const { get, post: send } = await studioScene();
    const wrong = await send<Validation>("/tools/find_order/validate", { input: { id: 7 } }, "Validation");
    expect(wrong).toMatchObject({ ok: false, issues: [{ pointer: "/id" }] });
    const right = await send<Validation>(
      "/tools/find_order/validate",
      { input: { id: "it's" } },
      "Validation",
    );
    expect(right.snippets).toMatchObject({
      commandLine: `haft call find_order '{"id":"it'\\''s"}'`,
      mcp: { method: "tools/call", params: { name: "find_order", arguments: { id: "it's" } } },
    });
    const tool = await get<ToolDetail>("/tools/find_order", "ToolDetail");
    expect(tool.formats.map(({ format }) => format)).toContain("anthropic");
    expect(tool.snippets.code).toBe('await haft.call("find_order", {\n  "id": ""\n});');
  });
});
