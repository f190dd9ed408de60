import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLedger } from "haft/ledger";
import type {
  AgentLine,
  AnswerResult,
  AnswerResults,
  CallLine,
  ChatEvent,
  ExperimentLine,
  LiveMessage,
  Page,
  ReplayResult,
  RightExplained,
  Rights,
  Run,
  RunAction,
  RunLine,
  ToolCallResult,
  ToolDetail,
  Validation,
} from "haft/studio";
import { describe, expect, it, onTestFinished } from "vitest";
import { concluded, record } from "../../test/kit/experiment-result.ts";
import { calls, says, scriptedModel } from "../../test/kit/scripted-model.ts";
import { checkAnswer, eventsOf, post, studioScene } from "../../test/kit/studio-scene.ts";
import { routes } from "./routes.ts";
import { answerSchemas } from "./schemas/answers.ts";

const refundOnce = () => scriptedModel([calls(["refund", { id: "7" }]), says("Refunded.")]);

const told = async (response: Response): Promise<readonly ChatEvent[]> => {
  const events: ChatEvent[] = [];
  for await (const { data } of eventsOf(response)) events.push(data);
  return events;
};

describe("agents and runs", () => {
  it("a chat is streamed, waits for a person inline, and its run goes on here once that is answered", async () => {
    const scene = await studioScene({ ledger: "sqlite::memory:", model: refundOnce() });
    const { get, post: send, signed, refunds } = scene;
    expect((await get<Page<AgentLine>>("/agents", "AgentPage")).items).toMatchObject([{ name: "desk" }]);
    const events = await told(await signed("/agents/desk/chat", post({ message: "Refund order 7" })));
    expect(events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["call", "approval", "usage", "done"]),
    );
    const done = events.at(-1) as Extract<ChatEvent, { kind: "done" }>;
    expect(done).toMatchObject({ status: "pending", agent: "desk" });
    const asked = events.find(({ kind }) => kind === "approval") as Extract<ChatEvent, { kind: "approval" }>;
    checkAnswer("Approval", asked.approval);
    const waiting = await get<Run>(`/runs/${done.runId}`, "Run");
    expect(waiting).toMatchObject({ line: { status: "pending" }, can: { resume: false, giveUp: true } });
    const answered = await send<AnswerResult>(`/approvals/${asked.approval.id}/answer`, {
      decision: "allow",
    });
    expect(answered).toMatchObject({ status: 200, goesOn: "here" });
    await expect.poll(async () => (await get<Run>(`/runs/${done.runId}`, "Run")).line.status).toBe("done");
    expect(refunds).toEqual(["7"]);
    const run = await get<Run>(`/runs/${done.runId}`, "Run");
    expect(run.spans.map(({ kind, call }) => [kind, call.tool])).toEqual([
      ["model", "model:scripted/model"],
      ["call", "refund"],
      ["model", "model:scripted/model"],
    ]);
    expect(run.spans.every(({ beganAt, endedAt }) => endedAt !== undefined && endedAt >= beganAt)).toBe(true);
    expect((await get<Page<RunLine>>("/runs?status=done&agent=desk", "RunPage")).items).toHaveLength(1);
  });

  it("several questions are answered at once, and an edit changes what runs", async () => {
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
    await expect.poll(() => refunds).toEqual(["9"]);
    const { results } = await send<AnswerResults>(
      "/approvals/answer",
      { ids: [...ids, "nobody"], decision: "deny", reason: "not today" },
      "AnswerResults",
    );
    expect(results.map(({ answered, why }) => [answered, why])).toEqual([
      [false, "already_answered"],
      [true, undefined],
      [true, undefined],
      [false, "not_found"],
    ]);
    expect((await get<Page<{ id: string }>>("/approvals", "ApprovalPage")).items).toEqual([]);
    expect(refunds).toEqual(["9"]);
  });

  it("a yes for a session is refused where the caller has none, and what means nothing is not written down", async () => {
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
      { decision: "allow", input: {} },
    ]) {
      expect(await send<AnswerResult>(path, body)).toMatchObject({ status: 422, why: "unfit" });
    }
    expect((await haft.approvals())[0]).toMatchObject({ status: "waiting" });
  });

  it("a run is given up under the name of whoever said so, and a second time is told that it is over", async () => {
    const {
      haft,
      desk,
      get,
      post: send,
    } = await studioScene({ ledger: "sqlite::memory:", model: refundOnce() });
    const { runId } = await haft.run(desk, "Refund order 7");
    expect(await send<RunAction>(`/runs/${runId}/give-up`, {}, "RunAction")).toMatchObject({
      status: 200,
      done: true,
    });
    expect(await get<Run>(`/runs/${runId}`, "Run")).toMatchObject({
      line: { status: "stopped", reason: expect.stringContaining("ada") },
    });
    expect(await send(`/runs/${runId}/give-up`, {})).toMatchObject({ status: 409, error: { code: "ended" } });
    expect(await send(`/runs/${runId}/resume`, {})).toMatchObject({
      status: 409,
      error: { code: "cannot_resume" },
    });
  });

  it("a replay makes reading calls again, asks nobody, and says what a model would be told", async () => {
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

describe("tools and rights", () => {
  it("a tool is called down the corridor as a principal that is known here, and as nobody else", async () => {
    const { get, post: send } = await studioScene({ ledger: "sqlite::memory:" });
    const done = await send<ToolCallResult>(
      "/tools/find_order/call",
      { input: { id: "7" } },
      "ToolCallResult",
    );
    expect(done).toMatchObject({ ok: true, value: { id: "7", total: 12 }, caller: { agent: "clerk" } });
    const call = await get<{ correlationId: string }>(`/calls/${done.entryId}`, "Call");
    expect(call.correlationId).toBe("studio ada");
    const refused = await send<ToolCallResult>(
      "/tools/refund/call",
      { input: { id: "7" }, as: "guest" },
      "ToolCallResult",
    );
    expect(refused).toMatchObject({ ok: false, code: "not_visible", caller: { agent: "guest" } });
    const asked = await send<ToolCallResult>("/tools/refund/call", { input: { id: "7" } }, "ToolCallResult");
    expect(asked.pending).toBeDefined();
    expect(await send("/tools/find_order/call", { input: {}, as: "root" })).toMatchObject({ status: 400 });
    expect(await send("/tools/nothing/call", { input: {} })).toMatchObject({ status: 404 });
  });

  it("a form is told what is wrong by pointer, and how to make the same call elsewhere", async () => {
    const { get, post: send } = await studioScene();
    const wrong = await send<Validation>("/tools/find_order/validate", { input: { id: 7 } }, "Validation");
    expect(wrong).toMatchObject({ ok: false, findings: [{ pointer: "/id" }] });
    const right = await send<Validation>(
      "/tools/find_order/validate",
      { input: { id: "it's" } },
      "Validation",
    );
    expect(right.copy).toMatchObject({
      commandLine: `haft call find_order '{"id":"it'\\''s"}'`,
      mcp: { method: "tools/call", params: { name: "find_order", arguments: { id: "it's" } } },
    });
    const tool = await get<ToolDetail>("/tools/find_order", "ToolDetail");
    expect(tool.formats.map(({ format }) => format)).toContain("anthropic");
    expect(tool.copy.code).toBe('await haft.call("find_order", {\n  "id": ""\n});');
  });

  it("who may what is the policy's own word, with the rule that decided", async () => {
    const policy = {
      rules: [
        { effect: "allow", tools: ["*"] },
        { id: "no-refunds", effect: "deny", tools: ["refund"], agents: ["clerk"] },
      ],
    };
    const { get } = await studioScene({ policy: policy as never });
    const { principals, tools, cells } = await get<Rights>("/rights", "Rights");
    const of = (agent: string, tool: string) =>
      cells[principals.findIndex(({ caller }) => caller.agent === agent)]![tools.indexOf(tool)]!;
    expect(of("clerk", "refund")).toMatchObject({ effect: "deny", ruleIds: ["no-refunds"] });
    expect(of("clerk", "find_order")).toMatchObject({ effect: "allow" });
    expect(of("guest", "refund")).toMatchObject({ effect: "deny" });
    const why = await get<RightExplained>(
      "/rights/explain?as=clerk&tool=refund&input=%7B%22id%22%3A%221%22%7D",
      "RightExplained",
    );
    expect(why).toMatchObject({
      effect: "deny",
      ruleIds: ["no-refunds"],
      text: expect.stringContaining("no-refunds"),
    });
  });
});

describe("streams", () => {
  it("live tells of calls and questions as they come, and of what came meanwhile behind Last-Event-ID", async () => {
    for (const ledger of ["memory", "sqlite::memory:"]) {
      const { haft, signed } = await studioScene({ ledger, approver: () => undefined });
      const stream = eventsOf(await signed("/live"));
      expect((await stream.next()).value?.name).toBe("hello");
      const next = async (isIt: (message: LiveMessage) => boolean): Promise<LiveMessage> => {
        for (;;) {
          const message = (await stream.next()).value!.data as LiveMessage;
          checkAnswer("LiveMessage", message);
          if (isIt(message)) return message;
        }
      };
      await expect.poll(async () => (await haft.call("find_order", { id: "7" })) !== undefined).toBe(true);
      const ended = await next(({ calls: lines }) => lines.some(({ ending }) => ending === "executed"));
      expect(ended.calls[0]).toMatchObject({ tool: "find_order" });
      const [reply] = await haft.turn([{ id: "c", tool: "refund", input: { id: "1" } }]);
      if (reply!.pending === undefined) continue;
      const asked = await next(({ approvals }) => approvals.length > 0);
      expect(asked.approvals[0]).toMatchObject({ id: reply!.pending.id, status: "waiting" });
      await stream.return(undefined);
      if (ledger === "memory") continue;
      await haft.call("find_order", { id: "8" });
      const again = eventsOf(await signed("/live", { headers: { "last-event-id": asked.id } }));
      const missed = (await again.next()).value!.data as LiveMessage;
      expect(missed.calls.map(({ input }) => input)).toEqual(['{"id":"8"}']);
      await again.return(undefined);
    }
  });

  it("a thousand calls at once are told in few messages: counts, and the newest fifty", async () => {
    const { haft, signed } = await studioScene({ ledger: "sqlite::memory:" });
    const stream = eventsOf(await signed("/live"));
    await stream.next();
    await haft.call("find_order", { id: "first" });
    await stream.next();
    const began = performance.now();
    await haft.turn(
      Array.from({ length: 1_000 }, (_, i) => ({
        id: `c-${i}`,
        tool: "find_order",
        input: { id: String(i) },
      })),
    );
    let [ended, messages] = [0, 0];
    while (ended < 1_000) {
      const message = (await stream.next()).value!.data as LiveMessage;
      expect(message.calls.length).toBeLessThanOrEqual(50);
      ended += message.counts.ended;
      messages += 1;
    }
    const seconds = (performance.now() - began) / 1_000;
    expect(ended).toBe(1_000);
    expect(messages).toBeLessThanOrEqual(Math.ceil(seconds * 5) + 1);
    await stream.return(undefined);
  });

  it("verifying tells how it went, and a ledger in memory says that it has no chain", async () => {
    const { haft, signed } = await studioScene({ ledger: "sqlite::memory:" });
    await haft.call("find_order", { id: "7" });
    const events: { name: string; data: unknown }[] = [];
    for await (const event of eventsOf(await signed("/verify", post({})))) events.push(event);
    expect(events.at(-1)).toMatchObject({ name: "done", data: { ok: true } });
    checkAnswer("VerifyResult", events.at(-1)!.data);
    const memory = await studioScene({ ledger: "memory" });
    expect((await memory.signed("/verify", post({}))).status).toBe(409);
  });

  it("what another process writes into the same ledger is told too", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-studio-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const place = `sqlite:${join(folder, "l.db")}`;
    const { haft, get, signed } = await studioScene({ ledger: place });
    const [reply] = await haft.turn([{ id: "c", tool: "refund", input: { id: "1" } }]);
    const stream = eventsOf(await signed("/live"));
    await stream.next();
    const keeper = await openLedger(place);
    onTestFinished(() => keeper.end());
    await keeper.answer(reply!.pending!.id, { kind: "deny" }, { by: "grace" });
    for (let isTold = false; !isTold; ) {
      const { approvals } = (await stream.next()).value!.data as LiveMessage;
      isTold = approvals.some(({ answeredBy }) => answeredBy === "grace");
    }
    await stream.return(undefined);
    expect((await get<Page<CallLine>>("/calls?ending=pending", "CallPage")).items).toHaveLength(1);
  });
});

describe("everything else", () => {
  it("results of experiments are read from the folders that are named, and whatever else lies there is passed over", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-studio-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(
      join(folder, "a.json"),
      JSON.stringify(concluded([record("a", "one"), record("b", "one")])),
    );
    await writeFile(join(folder, "b.json"), "{");
    await writeFile(join(folder, "c.json"), '{"kind":"other"}');
    const { get, signed } = await studioScene({}, { experiments: [folder, join(folder, "none")] });
    const { items } = await get<Page<ExperimentLine>>("/experiments", "ExperimentPage");
    expect(items.map(({ file }) => file)).toEqual(["a.json"]);
    expect(await get(`/experiments/${items[0]!.id}`)).toMatchObject({ kind: "haft-experiment" });
    expect((await signed("/experiments/..%2Fx")).status).toBe(404);
    expect((await signed("/fleet")).status).toBe(404);
  });

  it("the document names every route and every schema, and nothing that is not there", async () => {
    const { get } = await studioScene();
    const document = await get<{
      openapi: string;
      paths: Record<string, Record<string, { responses: object }>>;
      components: { schemas: Record<string, unknown> };
    }>("/openapi.json");
    expect(document.openapi).toBe("3.1.0");
    const written = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(written.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
    expect(Object.keys(document.components.schemas)).toEqual(Object.keys(answerSchemas));
    const refs = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name]) => name!,
    );
    for (const name of refs) expect(document.components.schemas).toHaveProperty(name);
    for (const { answer } of routes) {
      if (!["any", "events", "text"].includes(answer)) expect(answerSchemas).toHaveProperty(answer);
    }
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((each) => (each as unknown as { operationId: string }).operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
