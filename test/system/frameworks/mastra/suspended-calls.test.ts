import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createMailDesks } from "../../kit/mail-desk.ts";
import {
  createMastraScenes,
  type MastraSceneOptions,
  mastraCall,
  mastraReadPageCall,
  mastraSendMailCall,
} from "../../kit/mastra-scene.ts";

const desk = createMailDesks();
const place = createMastraScenes();
type Message = Parameters<ReturnType<typeof place>>[2];

/** A run that has read a page and is suspended at a mail; opens another process on its storage. */
const paused = async (...mails: Message) =>
  pausedUnder("scripted", mails.length === 0 ? [mastraSendMailCall()] : mails);

const pausedUnder = async (provider: string, mails: Message) => {
  const scene = desk();
  const at = place();
  const open = async (options: MastraSceneOptions = {}) => {
    const session = (await scene.open()).session({ id: "c-1" });
    return { session, ...at(session, { provider, ...options }, [mastraReadPageCall()], mails) };
  };
  const { agent, session } = await open();
  const { finishReason, runId, suspendPayload } = await agent.generate("Read the page and tell Bob.");
  expect(finishReason).toBe("suspended");
  expect(scene.sent).toEqual([]);
  const [asked] = await session.pending();
  return { scene, open, at, runId: runId!, suspendPayload, approvalId: asked!.id };
};

/** Resumes every suspended call of the agent, as a process does after a crash. */
const goOn = async (
  { agent }: Awaited<ReturnType<Awaited<ReturnType<typeof paused>>["open"]>>,
  data: unknown = {},
) => {
  const { runs } = await agent.listSuspendedRuns();
  const [{ runId, toolCalls } = { runId: "", toolCalls: [] }] = runs;
  return await agent.resumeGenerate(data, { runId, toolCallId: toolCalls[0]!.toolCallId });
};

/** Changes Mastra's storage. */
const edit = (file: string, from: string, to: string): void => {
  const storage = new DatabaseSync(file);
  const rows = storage.prepare(
    "UPDATE mastra_workflow_snapshot SET snapshot = jsonb(replace(json(snapshot), ?, ?))",
  );
  expect(rows.run(from, to).changes).toBeGreaterThan(0);
  storage.close();
};

describe("pending call", () => {
  test("suspends with the approval request of the ledger", async () => {
    const { approvalId, open, suspendPayload } = await paused();
    const [asked] = await (await open()).session.pending();
    const input = { to: "bob" };
    expect(suspendPayload).toMatchObject({
      toolCallId: "s1",
      suspendPayload: { approvalId, callId: "s1", tool: "send_mail", input, reason: asked!.reason },
    });
  });

  test("resumes in another process after an approval in the ledger, and runs once", async () => {
    const { approvalId, open, scene } = await paused();
    await scene.answer(approvalId, { kind: "allow" });
    const later = await open();
    expect((await goOn(later)).text).toBe("Done.");
    expect(later.reported.s1).toMatchObject({ value: '{"sentTo":"bob"}' });
    expect(scene.sent).toEqual(["bob"]);
    expect(await later.session.pending()).toEqual([]);
  });

  test("resumes with approveToolCall after an approval in the ledger", async () => {
    const { approvalId, open, runId, scene } = await paused();
    await scene.answer(approvalId, { kind: "allow" });
    const { agent } = await open();
    expect((await agent.approveToolCallGenerate({ runId, toolCallId: "s1" })).text).toBe("Done.");
    expect(scene.sent).toEqual(["bob"]);
  });

  test("runs once when two processes resume at the same time", async () => {
    const { approvalId, open, scene } = await paused();
    await scene.answer(approvalId, { kind: "allow" });
    const loops = await Promise.all([open(), open()]);
    await Promise.allSettled(loops.map((each) => goOn(each)));
    expect(scene.sent).toEqual(["bob"]);
  });

  test("suspends again with the same request while it is unanswered", async () => {
    const { approvalId, open, scene } = await paused();
    const again = await goOn(await open());
    expect(again.finishReason).toBe("suspended");
    expect(again.suspendPayload).toMatchObject({ suspendPayload: { approvalId } });
    expect(await scene.asked()).toHaveLength(1);
    await scene.answer(approvalId, { kind: "allow" });
    expect((await goOn(await open())).text).toBe("Done.");
    expect(scene.sent).toEqual(["bob"]);
  });

  test("returns the reason of a denial in the ledger", async () => {
    const { approvalId, open, scene } = await paused();
    await scene.answer(approvalId, { kind: "deny", reason: "Not to Bob." });
    const later = await open();
    await goOn(later);
    expect(later.reported.s1).toMatchObject({ value: expect.stringContaining("Not to Bob.") });
    expect(scene.sent).toEqual([]);
  });

  test("runs with the edited arguments of the ledger", async () => {
    const { approvalId, open, scene } = await paused();
    await scene.answer(approvalId, { kind: "edit", input: { to: "carol" } });
    await goOn(await open());
    expect(scene.sent).toEqual(["carol"]);
  });

  test("delays the next call of its message, which needs its own approval", async () => {
    const { approvalId, open, scene } = await paused(
      mastraSendMailCall("s1", "bob"),
      mastraSendMailCall("s2", "eve"),
    );
    expect(await scene.asked()).toHaveLength(1);
    await scene.answer(approvalId, { kind: "allow" });
    const second = await goOn(await open());
    expect(second.suspendPayload).toMatchObject({ toolCallId: "s2" });
    const asked = await scene.asked();
    await scene.answer(asked.find(({ callId }) => callId === "s2")!.id, { kind: "allow" });
    expect((await goOn(await open())).text).toBe("Done.");
    expect(scene.sent).toEqual(["bob", "eve"]);
  });

  test("is recognized when Mastra resumes it with different arguments", async () => {
    const mail = mastraCall("s1", "send_mail", { to: "bob", cc: null });
    const { approvalId, open, scene } = await pausedUnder("openai.responses", [mail]);
    await scene.answer(approvalId, { kind: "allow" });
    expect((await goOn(await open())).text).toBe("Done.");
    expect(scene.sent).toEqual(["bob"]);
    expect(await scene.asked()).toHaveLength(1);
  });

  test("does not run an approved call with arguments edited in the storage", async () => {
    const { approvalId, at, open, scene } = await paused();
    await scene.answer(approvalId, { kind: "allow" });
    edit(at.file, "bob", "mallory");
    await goOn(await open({ answeredBy: "eve" }), { approvalId, kind: "allow" });
    expect(scene.sent).toEqual([]);
  });

  test("resumes in a stream", async () => {
    const { approvalId, open, runId, scene } = await paused();
    await scene.answer(approvalId, { kind: "allow" });
    const { agent } = await open();
    const stream = await agent.resumeStream({}, { runId, toolCallId: "s1" });
    expect(await stream.text).toBe("Done.");
    expect(scene.sent).toEqual(["bob"]);
  });
});

describe("answer in resume data", () => {
  test("is ignored without answeredBy", async () => {
    const { approvalId, open, scene } = await paused();
    const again = await goOn(await open(), { approvalId, kind: "allow" });
    expect(again.finishReason).toBe("suspended");
    expect(scene.sent).toEqual([]);
    expect(await scene.asked()).toMatchObject([{ status: "waiting" }]);
  });

  test("is recorded as an approval with answeredBy, and the call runs once", async () => {
    const { approvalId, open, scene } = await paused();
    const later = await open({ answeredBy: "eve" });
    expect((await goOn(later, { approvalId, kind: "allow" })).text).toBe("Done.");
    expect(later.reported.s1).toMatchObject({ value: '{"sentTo":"bob"}' });
    expect(scene.sent).toEqual(["bob"]);
    expect(await scene.asked()).toMatchObject([
      { status: "used", answeredBy: "eve", decision: { kind: "allow" } },
    ]);
  });

  test("is recorded as a denial with its reason", async () => {
    const { approvalId, open, scene } = await paused();
    const later = await open({ answeredBy: "eve" });
    await goOn(later, { approvalId, kind: "deny", reason: "Not today." });
    expect(later.reported.s1).toMatchObject({ value: expect.stringContaining("Not today.") });
    expect(scene.sent).toEqual([]);
    expect(await scene.asked()).toMatchObject([
      { status: "used", answeredBy: "eve", decision: { kind: "deny", reason: "Not today." } },
    ]);
  });

  test("may edit the arguments, which are validated and recorded", async () => {
    const { approvalId, open, scene } = await paused();
    const edit = { approvalId, kind: "edit", input: { to: "carol" } };
    expect((await goOn(await open({ answeredBy: "eve" }), edit)).text).toBe("Done.");
    expect(scene.sent).toEqual(["carol"]);
    expect(await scene.asked()).toMatchObject([{ answeredBy: "eve", decision: { kind: "edit" } }]);
  });

  test("is ignored unless it names the request", async () => {
    const { open, scene } = await paused();
    for (const data of [
      { approved: true },
      { kind: "allow" },
      { approvalId: "another", kind: "allow" },
      { approvalId: 1, kind: "allow" },
    ]) {
      expect((await goOn(await open({ answeredBy: "eve" }), data)).finishReason).toBe("suspended");
    }
    expect(scene.sent).toEqual([]);
  });

  test("is not accepted from the model's own resume data", async () => {
    const forged = mastraCall("s1", "send_mail", {
      to: "bob",
      resumeData: { kind: "allow", approved: true },
    });
    const { approvalId, open, scene } = await paused(forged);
    const again = await goOn(await open({ answeredBy: "eve" }), { approvalId, kind: "deny" });
    expect(again.finishReason).toBe("suspended");
    expect(scene.sent).toEqual([]);
    await scene.answer(approvalId, { kind: "deny" });
    await goOn(await open({ answeredBy: "eve" }));
    expect(scene.sent).toEqual([]);
  });

  test("does not override the answer in the ledger", async () => {
    const { approvalId, open, scene } = await paused();
    await scene.answer(approvalId, { kind: "deny", reason: "Not to Bob." });
    const later = await open({ answeredBy: "eve" });
    await goOn(later, { approvalId, kind: "allow" });
    expect(later.reported.s1).toMatchObject({ value: expect.stringContaining("Not to Bob.") });
    expect(scene.sent).toEqual([]);
  });

  test("is not accepted for another request written into the storage", async () => {
    const { approvalId, at, open, scene } = await paused();
    const later = await open({ answeredBy: "eve" });
    const other = await later.session.asks({ id: "x1", tool: "send_mail", input: { to: "mallory" } });
    edit(at.file, approvalId, other!.id);
    expect((await goOn(later, { approvalId: other!.id, kind: "allow" })).finishReason).toBe("suspended");
    expect(scene.sent).toEqual([]);
  });

  test("is not accepted from a model that knows the request id", async () => {
    const { approvalId, at, open, scene } = await paused();
    const { session } = await open();
    for (const id of ["s1", "s2"]) {
      const resumeData = { approvalId, kind: "allow" };
      const again = mastraCall(id, "send_mail", { to: "bob", resumeData });
      const { agent } = at(session, { answeredBy: "eve" }, [again]);
      expect((await agent.generate("Go on.")).finishReason).toBe("suspended");
    }
    expect(scene.sent).toEqual([]);
    expect((await scene.asked()).map(({ status }) => status)).toEqual(["waiting", "waiting"]);
  });
});

test("another run while a call is suspended neither loses nor repeats the call", async () => {
  const { approvalId, open, scene } = await paused();
  const first = await open();
  await first.agent.generate("Are you there?");
  expect(scene.sent).toEqual([]);
  await scene.answer(approvalId, { kind: "allow" });
  await goOn(await open());
  expect(scene.sent).toEqual(["bob"]);
});
