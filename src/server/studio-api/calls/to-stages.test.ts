import type { Call, CallListItem, Page } from "haft/studio";
import { describe, expect, it } from "vitest";
import { studioScene } from "../../../../test/kit/studio-scene.ts";

describe("stages of a call", () => {
  it("show a failed authorization and unread arguments when the caller may not see the tool", async () => {
    const { haft, get } = await studioScene();
    await haft.as({ agent: "guest", allow: ["find_*"] }).turn([{ id: "1", tool: "refund", input: "{}" }]);
    const { items } = await get<Page<CallListItem>>("/calls", "CallPage");
    const { stages } = await get<Call>(`/calls/${items[0]!.entryId}`, "Call");
    expect(items[0]).toMatchObject({ code: "not_visible", tool: "refund" });
    expect(stages.hydrate).toMatchObject({
      state: "not-reached",
      summary: "arguments not read",
      issues: [],
    });
    expect(stages.bind.state).toBe("not-reached");
    expect(stages.authorize).toMatchObject({
      state: "failed",
      summary: expect.stringContaining("no permission for this tool"),
      caller: { agent: "guest" },
    });
    expect([stages.layers.state, stages.run.state, stages.reply.state]).toEqual([
      "not-reached",
      "not-reached",
      "passed",
    ]);
  });

  it("show a failed hydration for invalid arguments", async () => {
    const { haft, get } = await studioScene();
    await haft.turn([{ id: "1", tool: "find_order", input: "{}" }]);
    const { items } = await get<Page<CallListItem>>("/calls");
    const { stages } = await get<Call>(`/calls/${items[0]!.entryId}`, "Call");
    expect(stages.hydrate).toMatchObject({ state: "failed", issues: [{ pointer: "" }] });
    expect(stages.authorize.state).toBe("not-reached");
  });
});
