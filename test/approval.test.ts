import { type ApprovalRequest, Haft, type Principal, type ToolApprovalError, tool } from "haft";
import { approvalByEnv, authorize } from "haft/layers";
import { describe, expect, it } from "vitest";

const principal: Principal = { agent: "tester", allow: ["*"] };
const input = { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const;

const mailer = (sent: string[]) =>
  tool({ name: "send", description: "Sends mail", input, risk: "high", run: ({ to }) => void sent.push(to) });

const call = { id: "1", tool: "send", input: '{"to":"ada"}' };

describe("a call that requires approval", () => {
  it("is refused without an approver", async () => {
    const sent: string[] = [];
    const haft = await Haft.open({ tools: [mailer(sent)], principal });
    const [reply] = await haft.turn([call]);
    expect(reply?.failure?.code).toBe("approval_required");
    expect(sent).toEqual([]);
  });

  it("runs when a rule waives approval", async () => {
    const sent: string[] = [];
    const policy = { rules: [{ effect: "allow", tools: ["send"], waivesApproval: true }] as const };
    const haft = await Haft.open({ tools: [mailer(sent)], principal, policy });
    expect((await haft.turn([call]))[0]?.ok).toBe(true);
  });

  it("runs when the approver allows it and is refused when the approver denies it", async () => {
    const sent: string[] = [];
    const asked: ApprovalRequest[] = [];
    const haft = await Haft.open({
      tools: [mailer(sent)],
      principal,
      approver: async (request) => {
        asked.push(request);
        return asked.length === 1 ? { kind: "allow" } : { kind: "deny", reason: "not to her" };
      },
    });
    const replies = [...(await haft.turn([call])), ...(await haft.turn([call]))];
    expect(replies.map((reply) => reply.failure?.code ?? "ok")).toEqual(["ok", "approval_denied"]);
    expect(replies[1]?.text).toBe('Error: The call of "send" was not approved: not to her.');
    expect(asked[0]).toMatchObject({ tool: "send", callId: "1", input: { to: "ada" }, principal });
    expect(sent).toEqual(["ada"]);
  });

  it("is pending until it is resumed and then gets its one reply", async () => {
    const sent: string[] = [];
    const events: string[] = [];
    const haft = await Haft.open({ tools: [mailer(sent)], principal, approver: () => undefined });
    for (const name of ["tools.started", "tools.pending", "tools.executed", "tools.failed"] as const) {
      haft.on(name, () => events.push(name));
    }
    const [pending] = await haft.turn([call]);
    expect(pending).toMatchObject({ ok: false, pending: { tool: "send" } });
    expect(sent).toEqual([]);
    const id = pending?.pending?.id ?? "";
    expect(await haft.resume(id, { kind: "allow" })).toMatchObject({ id: "1", ok: true });
    expect(sent).toEqual(["ada"]);
    expect(events).toEqual(["tools.started", "tools.pending", "tools.executed"]);
    expect(await haft.log()).toMatchObject([{ callId: "1", ending: "executed" }]);
    await expect(haft.resume(id, { kind: "allow" })).rejects.toMatchObject({ code: "unknown_approval" });
    expect(sent).toEqual(["ada"]);
  });

  it("reports its pending approval to haft.call", async () => {
    const sent: string[] = [];
    const haft = await Haft.open({ tools: [mailer(sent)], principal, approver: () => undefined });
    const error = await haft
      .call("send", { to: "ada" })
      .catch((thrown: unknown) => thrown as ToolApprovalError);
    expect(error).toMatchObject({ code: "approval_required", name: "ToolApprovalError" });
    const id = (error as ToolApprovalError).approval?.id ?? "";
    expect(await haft.resume(id, { kind: "allow" })).toMatchObject({ ok: true });
    expect(sent).toEqual(["ada"]);
  });

  it("cannot be answered by another principal, which gets unknown_approval", async () => {
    const sent: string[] = [];
    const haft = await Haft.open({ tools: [mailer(sent)], principal, approver: () => undefined });
    const [pending] = await haft.turn([call]);
    const id = pending?.pending?.id ?? "";
    const stranger = haft.as({ agent: "stranger", allow: ["*"] });
    await expect(stranger.resume(id, { kind: "allow" })).rejects.toMatchObject({ code: "unknown_approval" });
    expect((await haft.resume(id, { kind: "deny" })).failure?.code).toBe("approval_denied");
    expect(sent).toEqual([]);
  });

  it("continues with edited input only if the input is valid and allowed", async () => {
    const sent: string[] = [];
    const answers: unknown[] = [{ to: 7 }, { to: "bob" }, { to: "eve" }];
    const haft = await Haft.open({
      tools: [mailer(sent)],
      principal,
      policy: {
        rules: [
          { effect: "approve", tools: ["send"] },
          { effect: "allow", tools: ["send"] },
          { effect: "deny", when: { properties: { to: { const: "eve" } }, required: ["to"] } },
        ],
      },
      approver: () => ({ kind: "edit", input: answers.shift() }),
    });
    const codes: string[] = [];
    for (let index = 0; index < 3; index++) codes.push((await haft.turn([call]))[0]?.failure?.code ?? "ok");
    expect(codes).toEqual(["invalid_input", "ok", "denied"]);
    expect(sent).toEqual(["bob"]);
  });
});

describe("approval layers", () => {
  const plain = (sent: string[]) =>
    tool({ name: "send", description: "Sends mail", input, run: ({ to }) => void sent.push(to) });

  it("of run, agent and tool are asked before the tool runs", async () => {
    const sent: string[] = [];
    const asked: string[] = [];
    const asking = (name: string) =>
      authorize(() => {
        asked.push(name);
        return { kind: "allow" };
      });
    const haft = await Haft.open({
      tools: [plain(sent).layer(asking("tool"))],
      layers: [asking("operator")],
      principal,
    });
    await haft.turn([call], { layers: [asking("run")] });
    expect(asked).toEqual(["operator", "run", "tool"]);
    expect(sent).toEqual(["ada"]);
  });

  it("can deny, edit, or require approval", async () => {
    const sent: string[] = [];
    const haft = await Haft.open({ tools: [plain(sent)], principal });
    const codes: string[] = [];
    for (const answer of [
      { kind: "deny" },
      { kind: "edit", input: { to: "bob" } },
      { kind: "ask", reason: "big" },
      { kind: "allow" },
    ] as const) {
      const [reply] = await haft.turn([call], { layers: [authorize(() => answer)] });
      codes.push(reply?.failure?.code ?? "ok");
    }
    expect(codes).toEqual(["approval_denied", "ok", "approval_required", "ok"]);
    expect(sent).toEqual(["bob", "ada"]);
  });

  it("can leave the decision to the Env of the run", async () => {
    const sent: string[] = [];
    const env = { approve: () => ({ kind: "deny", reason: "not today" }) as const };
    const haft = await Haft.open({ tools: [plain(sent)], layers: [approvalByEnv()], env, principal });
    expect((await haft.turn([call]))[0]?.text).toBe('Error: The call of "send" was not approved: not today.');
    expect(sent).toEqual([]);
  });

  it("cannot waive an approval that the policy requires", async () => {
    const sent: string[] = [];
    const haft = await Haft.open({
      tools: [mailer(sent).layer(authorize(() => ({ kind: "allow" })))],
      principal,
    });
    expect((await haft.turn([call]))[0]?.failure?.code).toBe("approval_required");
  });
});

it("an approver that throws or returns an invalid answer refuses the call", async () => {
  let runs = 0;
  const wipe = tool({
    name: "wipe",
    description: "Wipes",
    input: [],
    requiresApproval: true,
    run: () => ++runs,
  });
  const answers: readonly (() => unknown)[] = [
    () => {
      throw new Error("no desk");
    },
    () => true,
    async () => "allow",
  ];
  for (const approver of answers) {
    const haft = await Haft.open({
      tools: [wipe],
      principal: { agent: "a", allow: ["*"] },
      approver: approver as never,
    });
    const [reply] = await haft.turn([{ id: "1", tool: "wipe", input: "{}" }]);
    expect(["approval_required", "approval_denied"]).toContain(reply?.failure?.code);
    expect(reply?.failure?.ran).not.toBe(true);
  }
  expect(runs).toBe(0);
});
