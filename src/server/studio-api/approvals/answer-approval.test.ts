import type { AnswerResult, AnswerResults, ApprovalDetail, Call, CallListItem, Page } from "haft/studio";
import { describe, expect, it } from "vitest";
import { studioScene } from "../../../../test/kit/studio-scene.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";

describe("answers to approval requests", () => {
  it("can be given to several at once, and an edit changes the arguments", async () => {
    const { haft, get, post: send, refunds } = await studioScene({ ledger: "sqlite::memory:" });
    const asked = await haft.turn(
      ["1", "2", "3"].map((id) => ({ id: `c-${id}`, tool: "refund", input: { id } })),
    );
    const ids = asked.map(({ pending }) => pending!.id);
    const edited = await send<AnswerResult>(`/approvals/${ids[0]}/answer`, {
      decision: "edit",
      input: { id: "9" },
    });
    expect(edited).toMatchObject({ answered: true });
    // The API answers once the decision is recorded; the call is resumed in the background.
    const line = await waitFor(async () => {
      const [call] = (await get<Page<CallListItem>>("/calls?callId=c-1", "CallPage")).items;
      expect(call).toMatchObject({ ending: "executed", isChanged: true });
      return call!;
    });
    expect(refunds).toEqual(["9"]);
    // The record has both the requested and the approved arguments.
    const { approval } = await get<ApprovalDetail>(`/approvals/${ids[0]}`, "ApprovalDetail");
    expect(approval).toMatchObject({ input: { text: '{"id":"1"}' }, edited: { text: '{"id":"9"}' } });
    const { stages } = await get<Call>(`/calls/${line.entryId}`, "Call");
    expect(stages.authorize.summary).toContain("approved with changes by ada");
    const { results } = await send<AnswerResults>(
      "/approvals/answer",
      { ids: [...ids, "unknown-id"], decision: "deny", reason: "not today" },
      "AnswerResults",
    );
    expect(results.map(({ answered, code }) => [answered, code])).toEqual([
      [false, "already_answered"],
      [true, undefined],
      [true, undefined],
      [false, "not_found"],
    ]);
    expect((await get<Page<{ id: string }>>("/approvals", "ApprovalPage")).items).toEqual([]);
    expect(refunds).toEqual(["9"]);
  });

  it("are refused when they are invalid, or for a session that does not exist", async () => {
    const { haft, post: send } = await studioScene({
      ledger: "sqlite::memory:",
      principal: { agent: "clerk", allow: ["*"] },
    });
    const [reply] = await haft.turn([{ id: "c", tool: "refund", input: { id: "1" } }]);
    const path = `/approvals/${reply!.pending!.id}/answer`;
    for (const body of [
      { decision: "allow", always: "session" },
      { decision: "deny", always: "run" },
      { decision: "edit" },
      { decision: "edit", input: "text" },
      { decision: "edit", input: { id: 7 } },
      { decision: "allow", input: {} },
    ]) {
      expect(await send<AnswerResult>(path, body)).toMatchObject({ status: 422, code: "invalid" });
    }
    expect((await haft.approvals())[0]).toMatchObject({ status: "waiting" });
  });
});
