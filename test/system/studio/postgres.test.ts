import type { AnswerResult, Call, CallListItem, LiveMessage, Overview, Page } from "haft/studio";
import { describe, expect, it } from "vitest";
import { readServerEvents, studioClient, studioScene } from "../../kit/studio-scene.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();

describe("Studio over PostgreSQL", () => {
  it("pages, sums and shows calls of two processes as one ledger", async () => {
    const ledger = await world.migrated();
    const one = await studioScene({ ledger });
    const two = await studioScene({ ledger });
    for (let i = 0; i < 3; i += 1) {
      await one.haft.call("find_order", { id: `a-${i}` });
      await two.haft.call("find_order", { id: `b-${i}` });
    }
    await two.haft.call("broken", {}).catch(() => {});
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await one.get<Page<CallListItem>>(`/calls?limit=2&cursor=${cursor}`, "CallPage");
      seen.push(...page.items.map(({ entryId }) => entryId));
      if (page.next === undefined) break;
      cursor = page.next;
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
    const overview = await one.get<Overview>("/overview", "Overview");
    expect(overview).toMatchObject({
      total: { calls: { count: 7 }, failed: { count: 1 } },
      sample: { isAll: true },
    });
    const call = await one.get<Call>(`/calls/${seen[0]}`, "Call");
    expect(call.stages.record.rows.map(({ kind }) => kind)).toEqual(["opened", "closed"]);
  });

  it("sends updates of another Studio, and counts only one of two concurrent answers", async () => {
    const ledger = await world.migrated();
    const one = await studioScene({ ledger });
    const two = await studioScene({ ledger });
    const grace = studioClient(two.made, "grace");
    const stream = readServerEvents(await one.signed("/live"));
    await stream.next();
    const [reply] = await two.haft.turn([{ id: "c", tool: "refund", input: { id: "1" } }]);
    const { id } = reply!.pending!;
    for (let isReported = false; !isReported; ) {
      const { approvals } = (await stream.next()).value!.data as LiveMessage;
      isReported = approvals.some((each) => each.id === id);
    }
    await stream.return(undefined);
    const answers = await Promise.all([
      one.post<AnswerResult>(`/approvals/${id}/answer`, { decision: "deny" }),
      grace.post<AnswerResult>(`/approvals/${id}/answer`, { decision: "deny" }),
    ]);
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
    expect([won!.status, lost!.status]).toEqual([200, 409]);
    expect(lost!.approval?.answeredBy).toBe(won!.approval?.answeredBy);
    // The winner resumes the call, whose caller receives the denial.
    const endings = async () => (await one.haft.log({ callId: "c" })).map(({ ending }) => ending);
    await waitFor(async () => expect(await endings()).toEqual(["failed"]));
    expect(one.refunds).toEqual([]);
    // Waits until the end is recorded before the database stops.
    const ended = () => one.get<Page<CallListItem>>("/calls?ending=failed", "CallPage");
    await waitFor(async () => expect((await ended()).items.length).toBe(1));
  });
});
