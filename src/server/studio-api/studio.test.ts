import { tool, workspace } from "haft";
import type {
  AnswerResult,
  Approval,
  ApprovalDetail,
  Call,
  CallListItem,
  Catalog,
  Me,
  Overview,
  Page,
  RunListItem,
  ToolDetail,
} from "haft/studio";
import { describe, expect, it } from "vitest";
import { studioClient, studioScene } from "../../../test/kit/studio-scene.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import { stageNames } from "./calls/to-stages.ts";

describe("Studio of a runtime", () => {
  it("reports the signed-in person and the available features", async () => {
    const { get } = await studioScene({ ledger: "sqlite::memory:" });
    expect(await get<Me>("/me", "Me")).toMatchObject({
      name: "ada",
      principal: { agent: "clerk" },
      scopes: ["studio:read", "studio:approve", "studio:run"],
      ledger: { kind: "sqlite" },
      agents: ["desk"],
      features: { fleet: false, chain: true },
    });
  });

  it("limits a read-only link to the scope studio:read", async () => {
    const { haft, made, refunds } = await studioScene({
      ledger: "sqlite::memory:",
      approver: () => undefined,
    });
    const [reply] = await haft.turn([{ id: "1", tool: "refund", input: '{"id":"7"}' }]);
    const reader = studioClient(made, "model with a shell", "read");
    expect((await reader.get<Me>("/me")).scopes).toEqual(["studio:read"]);
    const id = reply!.pending!.id;
    expect(await reader.post(`/approvals/${id}/answer`, { decision: "allow" })).toMatchObject({
      status: 403,
    });
    expect(await reader.post("/tools/refund/call", { input: {} })).toMatchObject({ status: 403 });
    expect(refunds).toEqual([]);
  });

  it("shows a call as eight stages, and where a failed one ended", async () => {
    const { haft, get } = await studioScene({ ledger: "sqlite::memory:" });
    await haft.call("find_order", { id: "7" });
    await haft.call("broken", {}).catch(() => {});
    await haft.call("find_order", { id: 7 } as never).catch(() => {});
    const { items, total } = await get<Page<CallListItem>>("/calls", "CallPage");
    expect(items.map(({ tool, ending, code }) => [tool, ending, code])).toEqual([
      ["find_order", "failed", "invalid_input"],
      ["broken", "failed", "failed"],
      ["find_order", "executed", undefined],
    ]);
    expect(total).toEqual({ count: 3, isEstimate: false });
    const done = await get<Call>(`/calls/${items[2]!.entryId}`, "Call");
    expect(stageNames.map((name) => done.stages[name].state)).toEqual(Array(8).fill("passed"));
    expect(done.stages.hydrate).toMatchObject({ input: { text: '{"id":"7"}' }, validated: true });
    expect(done.stages.record.rows.map(({ kind }) => kind)).toContain("closed");
    expect(done.stages.bind.currentDefinition).toBe(done.stages.bind.definition);
    const broken = await get<Call>(`/calls/${items[1]!.entryId}`, "Call");
    expect(broken.stages).toMatchObject({
      authorize: { state: "passed" },
      run: { state: "failed", ran: true },
      check: { state: "not-reached" },
      reply: { state: "passed", code: "failed" },
    });
    const invalid = await get<Call>(`/calls/${items[0]!.entryId}`, "Call");
    expect(invalid.stages).toMatchObject({ hydrate: { state: "failed" }, bind: { state: "not-reached" } });
  });

  it("pages through entries in both directions without gaps or duplicates", async () => {
    for (const ledger of ["memory", "sqlite::memory:"]) {
      const { haft, get } = await studioScene({ ledger });
      for (let i = 0; i < 7; i += 1) await haft.call("find_order", { id: String(i) });
      const ids = (page: Page<CallListItem>): readonly string[] =>
        page.items.map(({ input }) => JSON.parse(input).id);
      const first = await get<Page<CallListItem>>("/calls?limit=3", "CallPage");
      const second = await get<Page<CallListItem>>(`/calls?limit=3&cursor=${first.next}`);
      const third = await get<Page<CallListItem>>(`/calls?limit=3&cursor=${second.next}`);
      expect([ids(first), ids(second), ids(third)]).toEqual([["6", "5", "4"], ["3", "2", "1"], ["0"]]);
      expect(third).toMatchObject({ hasMore: false });
      expect(third.next).toBeUndefined();
      const back = await get<Page<CallListItem>>(`/calls?limit=3&cursor=${third.previous}&direction=newer`);
      expect(ids(back)).toEqual(["3", "2", "1"]);
      await haft.call("find_order", { id: "new" });
      expect(ids(await get<Page<CallListItem>>(`/calls?limit=3&cursor=${first.next}`))).toEqual([
        "3",
        "2",
        "1",
      ]);
    }
  });

  it("summarizes calls by tool, agent and tenant", async () => {
    for (const ledger of ["memory", "sqlite::memory:"]) {
      const { haft, get } = await studioScene({ ledger });
      for (let i = 0; i < 3; i += 1) await haft.call("find_order", { id: String(i) });
      await haft.call("broken", {}).catch(() => {});
      const overview = await get<Overview>("/overview", "Overview");
      expect(overview.total).toMatchObject({ calls: { count: 4 }, failed: { count: 1 } });
      expect(overview.groups.map(({ name, calls }) => [name, calls.count])).toEqual([
        ["find_order", 3],
        ["broken", 1],
      ]);
      expect(overview.failures).toEqual([{ code: "failed", count: 1 }]);
      expect(overview.buckets.reduce((sum, { calls }) => sum + calls, 0)).toBe(4);
      expect(overview.sample).toMatchObject({ calls: 4, isAll: true });
      const byAgent = await get<Overview>("/overview?by=agent", "Overview");
      expect(byAgent.groups).toMatchObject([{ name: "clerk", calls: { count: 4 } }]);
    }
  });

  it("shows an approval request with its details, and resumes the call after the answer", async () => {
    const { haft, refunds, get, post } = await studioScene({ ledger: "sqlite::memory:" });
    const pending = await haft.turn([{ id: "c-1", tool: "refund", input: { id: "7", amount: 3 } }]);
    const id = pending[0]!.pending!.id;
    const inbox = await get<Page<Approval>>("/approvals", "ApprovalPage");
    expect(inbox.items).toMatchObject([
      { id, tool: "refund", status: "waiting", caller: { agent: "clerk" } },
    ]);
    const detail = await get<ApprovalDetail>(`/approvals/${id}`, "ApprovalDetail");
    expect(detail).toMatchObject({
      value: { id: "7", amount: 3 },
      tool: { risk: "high", hasChanged: false },
      hasSession: true,
    });
    const asked = await get<Call>(`/calls/${detail.approval.entryId}`, "Call");
    expect(asked.stages.authorize).toMatchObject({
      state: "pending",
      decision: expect.stringMatching(/^approval required: /),
    });
    const answered = await post<AnswerResult>(
      `/approvals/${id}/answer`,
      { decision: "allow" },
      "AnswerResult",
    );
    expect(answered).toMatchObject({
      status: 200,
      answered: true,
      continuesIn: "here",
      approval: { answeredBy: "ada" },
    });
    await waitFor(() => expect(refunds).toEqual(["7"]));
    const again = await post<AnswerResult>(`/approvals/${id}/answer`, { decision: "deny" });
    expect(again).toMatchObject({ status: 409, code: "already_answered", approval: { answeredBy: "ada" } });
    expect(again.message).toContain("already approved by ada");
  });

  it("shows a shadowed tool, and does not call the tool that has its short name", async () => {
    const taking = tool({
      name: "refund",
      description: "Takes the name",
      input: { type: "object" },
      run: () => "taken",
    });
    const { get, post, refunds } = await studioScene({
      project: workspace().toolbox("shop").add(taking).build(),
    });
    const hidden = await get<ToolDetail>("/tools/refund", "ToolDetail");
    expect(hidden).toMatchObject({ summary: { key: "refund", risk: "high" }, shadowedBy: "shop/refund" });
    const taker = await get<ToolDetail>("/tools/shop%2Frefund", "ToolDetail");
    expect(taker).toMatchObject({ summary: { key: "shop/refund" }, shadows: ["refund"] });
    expect(await post("/tools/refund/call", { input: { id: "7" } })).toMatchObject({
      status: 409,
      error: { code: "shadowed" },
    });
    expect(refunds).toEqual([]);
  });

  it("lists runs", async () => {
    const { get } = await studioScene({ ledger: "sqlite::memory:" });
    expect(await get<Page<RunListItem>>("/runs", "RunPage")).toEqual({ items: [], hasMore: false });
  });

  it("searches tools like a model", async () => {
    const { get } = await studioScene({});
    const found = await get<Catalog>("/tools?query=pay%20back%20an%20order", "Catalog");
    expect(found.search?.matches[0]).toMatchObject({ key: "refund" });
    expect(found.items[0]).toMatchObject({ key: "refund", risk: "high" });
    expect((await get<Catalog>("/tools", "Catalog")).items.map(({ key }) => key)).toEqual([
      "broken",
      "find_order",
      "refund",
    ]);
  });
});
