import { agent, Haft, tool } from "haft";
import { openLedger } from "haft/ledger";
import { expect, it } from "vitest";
import { calls, says, scriptedModel } from "../kit/scripted-model.ts";
import { useSqliteFolder } from "../kit/use-sqlite-folder.ts";

const { fresh } = useSqliteFolder();
const six = [1, 2, 3, 4, 5, 6];
const policy = {
  rules: [
    { id: "two-payments", effect: "deny", tools: ["pay"], spent: { calls: 2 } },
    { id: "ask", effect: "approve", tools: ["pay"] },
  ],
} as const;
const principal = { agent: "clerk", allow: ["*"] };

const world = (ledger: string, more: object = {}) => {
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const,
    // The start of a high-risk call is written to disk first, so other calls of its turn are decided
    // meanwhile.
    risk: "high",
    run: async ({ n }) => paid.push(n),
  });
  return { paid, open: () => Haft.open({ tools: [pay], ledger, principal, policy, ...more }) };
};

const turnOfSix = six.map((n) => ({ id: `c${n}`, tool: "pay", input: { n } }));

it("two of six approved calls run when the requesting process resumes them at the same time", async () => {
  const { paid, open } = world(`sqlite:${fresh()}`);
  await using haft = (await open()) as Haft;
  const asked = (await haft.turn(turnOfSix)).map(({ pending }) => pending!.id);
  await Promise.all(asked.map((id) => haft.resume(id, { kind: "allow" })));
  expect(paid).toHaveLength(2);
});

it("two of six calls run when an approver allows all of them at once", async () => {
  const { paid, open } = world(`sqlite:${fresh()}`, { approver: () => ({ kind: "allow" }) });
  await using haft = (await open()) as Haft;
  const replies = await haft.turn(turnOfSix);
  expect(paid).toHaveLength(2);
  expect(replies.filter(({ failure }) => failure?.code === "denied")).toHaveLength(4);
});

it("two of six calls run when all of them are allowed at once", async () => {
  const rules = [policy.rules[0], { effect: "allow", tools: ["pay"], waivesApproval: true }] as const;
  const { paid, open } = world(`sqlite:${fresh()}`, { policy: { rules } });
  await using haft = (await open()) as Haft;
  await haft.turn(turnOfSix);
  expect(paid).toHaveLength(2);
});

it.each(["at the same time", "one after the other"])(
  "two of six approved calls run when another process resumes them %s",
  async (how) => {
    const { paid, open } = world(`sqlite:${fresh()}`);
    const asking = (await open()) as Haft;
    const asked = (await asking.turn(turnOfSix)).map(({ pending }) => pending!.id);
    await asking.close();
    await using haft = (await open()) as Haft;
    const resume = (id: string) => haft.resume(id, { kind: "allow" });
    const replies = [];
    if (how === "at the same time") replies.push(...(await Promise.all(asked.map(resume))));
    else for (const id of asked) replies.push(await resume(id));
    expect(paid).toHaveLength(2);
    expect(replies.filter(({ failure }) => failure?.code === "denied")).toHaveLength(4);
  },
);

it("two of six approved calls of one turn run when their run is resumed", async () => {
  const place = `sqlite:${fresh()}`;
  const { paid, open } = world(place);
  const model = () => scriptedModel([calls(...six.map((n) => ["pay", { n }] as const)), says("Done.")]);
  const clerk = (script = model()) =>
    agent({ name: "clerk", instructions: "Pay.", model: script, tools: ["*"] });
  const asking = (await open()) as Haft;
  const { runId, status } = await asking.run(clerk(), "Pay all");
  expect(status).toBe("pending");
  await asking.close();
  const ledger = await openLedger(place);
  for (const { id } of await ledger.approvals())
    expect(await ledger.answer(id, { kind: "allow" })).toBe("answered");
  await ledger.end();
  await using haft = (await open()) as Haft;
  const done = await haft.run(clerk(scriptedModel([says("Done.")])), undefined, { resume: runId });
  expect(done.status).toBe("done");
  expect(paid).toHaveLength(2);
  const log = await haft.log({ runId, tool: "pay" });
  expect(log.filter(({ code }) => code === "denied")).toHaveLength(4);
});
