import {
  type AgentResponse,
  agent,
  Haft,
  type HaftOptions,
  narrow,
  type Principal,
  type Reply,
  tool,
} from "haft";
import { type LedgerAdmin, openLedger } from "haft/ledger";
import { describe, expect, it } from "vitest";
import { scriptedModel } from "../kit/scripted-model.ts";

const principal: Principal = { agent: "clerk", user: "ada", allow: ["*"] };

const toolsFor = (sent: string[], description = "Sends mail") => {
  const input = { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const;
  return [
    tool({ name: "send", description, input, risk: "high", run: ({ to }) => void sent.push(to) }),
    tool({
      name: "file",
      description: "Files a note",
      input,
      run: ({ to }) => void sent.push(`filed ${to}`),
    }),
  ];
};

interface World {
  /** Opens the ledger again, as another process would. */
  readonly open: (options?: Partial<HaftOptions>) => Promise<Haft>;
  readonly keep: () => Promise<LedgerAdmin>;
  readonly sent: string[];
}

const call = (to: string, id = `to-${to}`) => ({ id, tool: "send", input: JSON.stringify({ to }) });

const pendingId = (reply: Reply | undefined): string => {
  if (reply?.pending === undefined) throw new Error(`It is not pending: ${reply?.text}`);
  return reply.pending.id;
};

const leave = async (haft: Haft, ...calls: ReturnType<typeof call>[]): Promise<readonly string[]> => {
  const replies = await haft.turn(calls);
  await haft.close();
  return replies.map(pendingId);
};

/** Contract of approvals that outlive the process, for every durable store. */
export const approvalMatrix = (name: string, place: () => Promise<string>): void => {
  const world = async (): Promise<World> => {
    const ledger = await place();
    const sent: string[] = [];
    const open = (options: Partial<HaftOptions> = {}) =>
      Haft.open({ tools: toolsFor(sent), principal, ledger, ...options } as HaftOptions);
    return { open, keep: () => openLedger(ledger), sent };
  };

  describe(`an approval stored in ${name}`, () => {
    it("stays pending across a restart, and its call runs once in the process that resumes it", async () => {
      const { open, sent } = await world();
      const [id = ""] = await leave(await open(), call("bob"));
      await using later = await open();
      expect(await later.approvals({ status: "waiting" })).toMatchObject([
        { id, tool: "send", input: { to: "bob" } },
      ]);
      const reply = await later.resume(id, { kind: "allow" }, { by: "grace" });
      expect(reply).toMatchObject({ id: "to-bob", ok: true });
      expect(sent).toEqual(["bob"]);
      expect(await later.approvals()).toMatchObject([{ id, status: "used", answeredBy: "grace" }]);
      expect(await later.log({ callId: "to-bob" })).toMatchObject([{ ending: "executed" }]);
    });

    it("is answered by the ledger admin and resumed only where the tool exists", async () => {
      const { open, keep, sent } = await world();
      const [id = ""] = await leave(await open(), call("bob"));
      await using third = await open();
      await expect(third.resume(id)).rejects.toMatchObject({ code: "approval_required" });
      const admin = await keep();
      expect(await admin.answer(id, { kind: "allow" }, { by: "grace" })).toBe("answered");
      await admin.end();
      await using elsewhere = await open({ tools: [] });
      await expect(elsewhere.resume(id)).rejects.toMatchObject({ code: "unknown_tool" });
      expect(await third.resume(id)).toMatchObject({ ok: true });
      expect(sent).toEqual(["bob"]);
    });

    it("counts once when several runtimes answer it", async () => {
      const { open, sent } = await world();
      const [id = ""] = await leave(await open(), call("bob"));
      await using one = await open();
      await using other = await open();
      const answers = await Promise.allSettled(
        [one, other, one, other].map((haft) => haft.resume(id, { kind: "allow" })),
      );
      expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(sent).toEqual(["bob"]);
    });

    it("is unknown to another principal", async () => {
      const { open, sent } = await world();
      const [id = ""] = await leave(await open(), call("bob"));
      await using stranger = await open({ principal: { agent: "clerk", user: "eve", allow: ["*"] } });
      await expect(stranger.resume(id, { kind: "allow" })).rejects.toMatchObject({
        code: "unknown_approval",
      });
      expect(await stranger.approvals()).toEqual([]);
      await using own = await open();
      expect(await own.resume(id, { kind: "allow" })).toMatchObject({ ok: true });
      expect(sent).toEqual(["bob"]);
    });

    it("has no effect after it expired", async () => {
      const { open, sent } = await world();
      const [id = ""] = await leave(await open({ approvals: { expireAfterMs: 1 } }), call("bob"));
      await using later = await open();
      const reply = await later.resume(id, { kind: "allow" });
      expect(reply.failure?.code).toBe("approval_expired");
      expect(await later.log({ callId: "to-bob" })).toMatchObject([
        { ending: "failed", code: "approval_expired" },
      ]);
      await expect(later.resume(id, { kind: "allow" })).rejects.toMatchObject({ code: "approval_expired" });
      expect(sent).toEqual([]);
    });

    it("is void after the tool's definition changed", async () => {
      const { open, sent } = await world();
      const [id = ""] = await leave(await open(), call("bob"));
      await using changed = await open({ tools: toolsFor(sent, "Sends mail to everybody") });
      const reply = await changed.resume(id, { kind: "allow" });
      expect(reply.failure?.code).toBe("approval_void");
      expect(reply.text).toContain("definition has changed");
      await using again = await open();
      await expect(again.resume(id, { kind: "allow" })).rejects.toMatchObject({ code: "unknown_approval" });
      expect(sent).toEqual([]);
    });

    it("validates and authorizes edited arguments before the call runs", async () => {
      const { open, sent } = await world();
      const ids = await leave(await open(), call("bob", "1"), call("bob", "2"), call("bob", "3"));
      await using later = await open({
        policy: {
          rules: [
            { effect: "allow", tools: ["*"] },
            { effect: "deny", when: { properties: { to: { const: "eve" } }, required: ["to"] } },
          ],
        },
      });
      const codes: string[] = [];
      for (const [index, to] of ["grace", 7, "eve"].entries()) {
        const reply = await later.resume(ids[index] ?? "", { kind: "edit", input: { to } });
        codes.push(reply.failure?.code ?? "ok");
      }
      expect(codes).toEqual(["ok", "invalid_input", "denied"]);
      expect(sent).toEqual(["grace"]);
    });

    it("is refused when its caller has lost the right", async () => {
      const { open, sent } = await world();
      const [id = ""] = await leave(await open(), call("bob"));
      await using later = await open({ policy: { rules: [{ effect: "deny", tools: ["send"] }] } });
      await expect(later.resume(id, { kind: "allow" })).rejects.toMatchObject({ code: "not_visible" });
      expect(sent).toEqual([]);
    });

    it("resolves each call of a batch separately", async () => {
      const { open, sent } = await world();
      const first = await open();
      const replies = await first.turn([
        { id: "0", tool: "file", input: '{"to":"archive"}' },
        call("bob", "1"),
        call("eve", "2"),
        call("grace", "3"),
      ]);
      await first.close();
      expect(replies.map(({ ok, pending }) => (pending === undefined ? ok : "pending"))).toEqual([
        true,
        "pending",
        "pending",
        "pending",
      ]);
      await using later = await open();
      const [, bob, eve, grace] = replies;
      expect(await later.resume(pendingId(eve), { kind: "deny", reason: "not her" })).toMatchObject({
        failure: { code: "approval_denied" },
      });
      expect(await later.resume(pendingId(bob), { kind: "allow" })).toMatchObject({ ok: true });
      expect(sent).toEqual(["filed archive", "bob"]);
      expect(await later.approvals({ status: "waiting" })).toMatchObject([{ id: pendingId(grace) }]);
    });

    it("granted for a session is requested once, and again after the tool's definition changed", async () => {
      const { open, sent } = await world();
      const monday = { principal: { ...principal, session: "monday" } };
      const [id = ""] = await leave(await open(monday), call("bob"));
      const later = await open(monday);
      await later.resume(id, { kind: "allow", always: "session" });
      expect(await later.turn([call("grace")])).toMatchObject([{ ok: true }]);
      await later.close();
      const changes = { ...monday, tools: toolsFor(sent, "Sends mail to everybody") };
      await using changed = await open(changes);
      expect((await changed.turn([call("ida")]))[0]?.pending).toBeDefined();
      expect(sent).toEqual(["bob", "grace"]);
    });

    it("reports a denial even if the tool no longer exists", async () => {
      const { open, sent } = await world();
      const [id = ""] = await leave(await open(), call("bob"));
      await using elsewhere = await open({ tools: [] });
      const reply = await elsewhere.resume(id, { kind: "deny", reason: "not him" });
      expect(reply.text).toBe('Error: The call of "send" was not approved: not him.');
      expect(sent).toEqual([]);
    });

    it("cannot be granted for a session that the caller does not have", async () => {
      const { open, sent } = await world();
      const [id = ""] = await leave(await open(), call("bob"));
      await using later = await open();
      await expect(later.resume(id, { kind: "allow", always: "session" })).rejects.toThrow(/has no session/);
      expect(await later.resume(id, { kind: "allow" })).toMatchObject({ ok: true });
      expect(sent).toEqual(["bob"]);
    });

    it("of a delegated caller can be answered by the delegator, but not vice versa", async () => {
      const { open, sent } = await world();
      const delegated = narrow(principal, { allow: ["send"] });
      const [id = ""] = await leave((await open()).as(delegated), call("bob"));
      const [own = ""] = await leave(await open(), call("eve"));
      await using later = await open();
      await expect(later.as(delegated).resume(own, { kind: "allow" })).rejects.toMatchObject({
        code: "unknown_approval",
      });
      expect(await later.resume(id, { kind: "allow" })).toMatchObject({ ok: true });
      expect(sent).toEqual(["bob"]);
    });

    it("is resumed under the current rights, also in the requesting process", async () => {
      const { open, sent } = await world();
      await using haft = await open();
      const id = pendingId((await haft.turn([call("bob")]))[0]);
      const less = haft.as({ ...principal, deny: ["send"] });
      expect((await less.resume(id, { kind: "allow" })).failure?.code).toBe("denied");
      expect(sent).toEqual([]);
    });

    it("accepts one of two concurrent answers, fifty times", async () => {
      const { open, sent } = await world();
      const calls = Array.from({ length: 50 }, (_, index) => call(`n${index}`));
      const ids = await leave(await open(), ...calls);
      await using one = await open();
      await using other = await open();
      for (const id of ids) {
        const answers = await Promise.allSettled([
          one.resume(id, { kind: "allow" }),
          other.resume(id, { kind: "deny" }),
        ]);
        expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      }
      expect(new Set(sent).size).toBe(sent.length);
    });

    it("lets another process resume the whole run without requesting approval again", async () => {
      const { open, sent } = await world();
      const model = scriptedModel([
        { calls: [{ id: "0", tool: "file", input: '{"to":"archive"}' }, call("bob", "1"), call("eve", "2")] },
        { text: "Sent to Bob." },
      ]);
      const clerk = agent({ name: "clerk", instructions: "Write letters.", model, tools: ["*"] });
      const first = await open();
      const left = await first.run(clerk, "Write to Bob and Eve.");
      await first.close();
      expect(left.status).toBe("pending");
      expect(sent).toEqual(["filed archive"]);

      await using later = await open();
      const still: AgentResponse = await later.run(clerk, undefined, { resume: left.runId });
      expect(still.status).toBe("pending");
      const waiting = await later.approvals({ status: "waiting", runId: left.runId });
      // Both were requested at once, so either may come first.
      const about = new Map(waiting.map(({ id, input }) => [(input as { readonly to: string }).to, id]));
      expect([...about.keys()].sort()).toEqual(["bob", "eve"]);
      await later.resume(about.get("bob") ?? "", { kind: "allow" });
      await later.resume(about.get("eve") ?? "", { kind: "deny", reason: "not her" });

      // Without the approved tool the run stays pending and nothing is settled.
      const elsewhere = await open({ tools: toolsFor(sent).slice(1) });
      expect((await elsewhere.run(clerk, undefined, { resume: left.runId })).status).toBe("pending");
      await elsewhere.close();

      const done = await later.run(clerk, undefined, { resume: left.runId });
      expect(done).toMatchObject({ status: "done", content: "Sent to Bob.", runId: left.runId, turns: 2 });
      expect(done.toolsUsed.map(({ callId, ok }) => [callId, ok])).toEqual([
        ["0", true],
        ["1", true],
        ["2", false],
      ]);
      expect(sent).toEqual(["filed archive", "bob"]);
      await expect(later.run(clerk, undefined, { resume: left.runId })).rejects.toThrow(/is done/);
    });
  });
};
