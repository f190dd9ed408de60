import type { Haft } from "haft";
import {
  type AgentListItem,
  type AnswerResult,
  type ChatEvent,
  type Page,
  type Run,
  type RunListItem,
  type StoppedChat,
  studio,
} from "haft/studio";
import { describe, expect, it, onTestFinished } from "vitest";
import { calls, says, scriptedModel } from "../../../../test/kit/scripted-model.ts";
import {
  checkAnswerSchema,
  readServerEvents,
  studioClient,
  studioPostInit,
  studioScene,
} from "../../../../test/kit/studio-scene.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";

const refundOnce = () => scriptedModel([calls(["refund", { id: "7" }]), says("Refunded.")]);

const readEvents = async (response: Response): Promise<readonly ChatEvent[]> => {
  const events: ChatEvent[] = [];
  for await (const { data } of readServerEvents(response)) events.push(data);
  return events;
};

/** Joins consecutive text events. */
const joined = (events: readonly ChatEvent[]): readonly ChatEvent[] => {
  const all: ChatEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (last?.kind === "text" && event.kind === "text")
      all[all.length - 1] = { ...last, text: last.text + event.text };
    else all.push(event);
  }
  return all;
};

describe("chat", () => {
  it("is streamed, and its run is resumed when the approval request is answered", async () => {
    const model = scriptedModel([calls(["refund", { id: "7" }]), says("Refunded."), says("Yes.")]);
    const scene = await studioScene({ ledger: "sqlite::memory:", model });
    const { get, post: send, signed, refunds } = scene;
    expect((await get<Page<AgentListItem>>("/agents", "AgentPage")).items).toMatchObject([{ name: "desk" }]);
    const events = await readEvents(
      await signed("/agents/desk/chat", studioPostInit({ message: "Refund order 7" })),
    );
    expect(events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["call", "approval", "usage", "done"]),
    );
    const done = events.at(-1) as Extract<ChatEvent, { kind: "done" }>;
    expect(done).toMatchObject({ status: "pending", agent: "desk" });
    const asked = events.find(({ kind }) => kind === "approval") as Extract<ChatEvent, { kind: "approval" }>;
    checkAnswerSchema("Approval", asked.approval);
    const waiting = await get<Run>(`/runs/${done.runId}`, "Run");
    expect(waiting).toMatchObject({ summary: { status: "pending" }, can: { resume: false, cancel: true } });
    const answered = await send<AnswerResult>(`/approvals/${asked.approval.id}/answer`, {
      decision: "allow",
    });
    expect(answered).toMatchObject({ status: 200, continuesIn: "here" });
    await waitFor(async () =>
      expect((await get<Run>(`/runs/${done.runId}`, "Run")).summary.status).toBe("done"),
    );
    expect(refunds).toEqual(["7"]);
    const run = await get<Run>(`/runs/${done.runId}`, "Run");
    expect(run.spans.map(({ kind, call }) => [kind, call.tool])).toEqual([
      ["model", "model:scripted/model"],
      ["call", "refund"],
      ["model", "model:scripted/model"],
    ]);
    expect(run.spans.every(({ startedAt, endedAt }) => endedAt !== undefined && endedAt >= startedAt)).toBe(
      true,
    );
    expect((await get<Page<RunListItem>>("/runs?status=done&agent=desk", "RunPage")).items).toHaveLength(1);
    const { runId } = done;
    const whole = await readEvents(await signed(`/agents/desk/chats/${runId}`));
    expect(whole.slice(0, events.length)).toEqual(joined(events));
    expect(whole.slice(events.length)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "result", tool: "refund", ok: true }),
        expect.objectContaining({ kind: "text", text: "Refunded." }),
        expect.objectContaining({ kind: "done", runId, status: "done" }),
      ]),
    );
    // The ledger of this runtime drops the conversation of a run that is done.
    const next = { message: "Is it refunded?", chatId: runId, runId };
    expect((await readEvents(await signed("/agents/desk/chat", studioPostInit(next)))).at(-1)).toMatchObject({
      text: "Yes.",
    });
    const results = model.requests.at(-1)!.messages.filter(({ role }) => role === "tool");
    expect(results).toMatchObject([{ ok: true, content: '{"refunded":"7"}' }]);
  });

  it("is read from the ledger after a restart, and its run is resumed there", async () => {
    const { haft, desk, get, made } = await studioScene({ ledger: "sqlite::memory:", model: refundOnce() });
    const { runId, pending } = await haft.run(desk, "Refund order 7");
    const restarted = studio(haft as Haft, { agents: [desk] });
    onTestFinished(() => restarted.close());
    const { post: send, signed } = studioClient(restarted);
    const kinds = async () =>
      (await readEvents(await signed(`/agents/desk/chats/${runId}`))).map(({ kind }) => kind);
    expect(await kinds()).toEqual(["start", "call", "approval", "done"]);
    await made.close();
    await send(`/approvals/${pending[0]!.id}/answer`, { decision: "allow" });
    await waitFor(async () => expect((await get<Run>(`/runs/${runId}`)).summary.status).toBe("done"));
    expect(await kinds()).toEqual(
      expect.arrayContaining(["start", "call", "approval", "done", "call-end", "result", "text", "done"]),
    );
  });

  it("can be stopped and continued by run id only by a user who may act as its caller", async () => {
    const principal = { agent: "browser", user: "bob", roles: ["studio:read", "studio:run"] };
    const { haft, desk, send } = await studioScene(
      { ledger: "sqlite::memory:", model: refundOnce() },
      { principal: () => principal },
    );
    const { runId } = await haft
      .as({ agent: "clerk", user: "ada", tenant: "shop", allow: ["*"] })
      .run(desk, "Refund order 7");
    for (const [path, body] of [
      [`/agents/desk/chats/${runId}/stop`, {}],
      ["/agents/desk/chat", { message: "Hello", chatId: runId }],
    ] as const) {
      const refused = await send(`/api/v1${path}`, studioPostInit(body));
      expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: "forbidden" } }]);
    }
  });

  it("continues when its page is closed, and is shown completely to a new page", async () => {
    const { promise: isAsked, resolve: letAnswer } = Promise.withResolvers<void>();
    const model = scriptedModel([
      async () => {
        await isAsked;
        return says("It is on its way.");
      },
    ]);
    const { get, signed } = await studioScene({ ledger: "sqlite::memory:", model });
    const leaving = new AbortController();
    const first = await signed("/agents/desk/chat", {
      ...studioPostInit({ message: "Where is order 7?" }),
      signal: leaving.signal,
    });
    const { value } = await readServerEvents(first).next();
    const begun = value!.data as Extract<ChatEvent, { kind: "start" }>;
    expect(begun).toMatchObject({ kind: "start", message: "Where is order 7?" });
    leaving.abort();
    const { chatId } = begun;
    expect(
      await (await signed("/agents/desk/chat", studioPostInit({ message: "Well?", chatId }))).json(),
    ).toMatchObject({
      error: { code: "busy" },
    });
    const again = signed(`/agents/desk/chats/${chatId}`);
    letAnswer();
    const events = await readEvents(await again);
    expect(events[0]).toEqual(begun);
    expect(events.at(-1)).toMatchObject({ kind: "done", status: "done", text: "It is on its way." });
    expect(await readEvents(await signed(`/agents/desk/chats/${chatId}`))).toEqual(joined(events));
    const { runId } = events.at(-1) as Extract<ChatEvent, { kind: "done" }>;
    expect((await get<Run>(`/runs/${runId}`, "Run")).summary.status).toBe("done");
  });

  it("can be stopped, and is not found when its id is unknown", async () => {
    const model = scriptedModel([() => new Promise<never>(() => {})]);
    const { post: send, signed } = await studioScene({ ledger: "sqlite::memory:", model });
    const stream = readServerEvents(
      await signed("/agents/desk/chat", studioPostInit({ message: "Take your time" })),
    );
    const { chatId } = (await stream.next()).value!.data as Extract<ChatEvent, { kind: "start" }>;
    const path = `/agents/desk/chats/${chatId}/stop`;
    expect(await send<StoppedChat>(path, {}, "StoppedChat")).toMatchObject({ stopped: true });
    const left: ChatEvent[] = [];
    for await (const { data } of stream) left.push(data);
    expect(left.at(-1)).toMatchObject({ kind: "done", status: "cancelled" });
    expect(await send<StoppedChat>(path, {})).toMatchObject({ stopped: false });
    expect(await send("/agents/desk/chats/chat-x/stop", {})).toMatchObject({ status: 404 });
    expect((await signed("/agents/desk/chats/chat-x")).status).toBe(404);
  });
});
