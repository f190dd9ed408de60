import type { Page, ReplayResult, Run, RunAction } from "haft/studio";
import { describe, expect, it } from "vitest";
import { calls, says, scriptedModel } from "../../../../test/kit/scripted-model.ts";
import { studioPostInit, studioScene } from "../../../../test/kit/studio-scene.ts";

const refundOnce = () => scriptedModel([calls(["refund", { id: "7" }]), says("Refunded.")]);

describe("actions on a run", () => {
  it("cancel it under the name of the user, and refuse to cancel it twice", async () => {
    const {
      haft,
      desk,
      get,
      post: send,
    } = await studioScene({ ledger: "sqlite::memory:", model: refundOnce() });
    const { runId } = await haft.run(desk, "Refund order 7");
    expect(await send<RunAction>(`/runs/${runId}/cancel`, {}, "RunAction")).toMatchObject({
      status: 200,
      done: true,
    });
    expect(await get<Run>(`/runs/${runId}`, "Run")).toMatchObject({
      summary: { status: "stopped", reason: expect.stringContaining("ada") },
    });
    expect(await send(`/runs/${runId}/cancel`, {})).toMatchObject({ status: 409, error: { code: "ended" } });
    expect(await send(`/runs/${runId}/resume`, {})).toMatchObject({
      status: 409,
      error: { code: "cannot_resume" },
    });
  });

  it("do not cancel it for a user who may not act as its caller", async () => {
    const principal = { agent: "browser", user: "bob", roles: ["studio:read", "studio:run"] };
    const { haft, desk, send, get } = await studioScene(
      { ledger: "sqlite::memory:", model: refundOnce() },
      { principal: () => principal },
    );
    const { runId } = await haft
      .as({ agent: "clerk", user: "ada", tenant: "shop", allow: ["*"] })
      .run(desk, "Refund order 7");
    const refused = await send(`/api/v1/runs/${runId}/cancel`, studioPostInit({}));
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { code: "forbidden" } });
    const own = await haft
      .as({ ...principal, allow: ["*"] })
      .run(desk, "Refund order 7", { model: refundOnce() });
    expect((await send(`/api/v1/runs/${own.runId}/cancel`, studioPostInit({}))).status).toBe(200);
    expect(await get<Run>(`/runs/${runId}`, "Run")).toMatchObject({ summary: { status: "pending" } });
  });

  it("replay its read-only calls without requesting approval", async () => {
    const model = scriptedModel([calls(["find_order", { id: "7" }], ["refund", { id: "7" }])]);
    const { haft, desk, get, post: send, refunds } = await studioScene({ ledger: "sqlite::memory:", model });
    const { runId } = await haft.run(desk, "Refund order 7");
    const replayed = await send<ReplayResult>(`/runs/${runId}/replay`, {}, "ReplayResult");
    expect(replayed.calls.map(({ tool, status }) => [tool, status])).toEqual([
      ["find_order", "same"],
      ["refund", "not-run"],
    ]);
    expect((await get<Page<{ id: string }>>("/approvals", "ApprovalPage")).items).toHaveLength(1);
    expect(refunds).toEqual([]);
  });
});
