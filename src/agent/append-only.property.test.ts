import fc from "fast-check";
import { type Agent, type AgentResponse, agent, Haft, type Message, type Model, textOf, tool } from "haft";
import { expect, it } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";

const principal = { agent: "desk", allow: ["*"] };
const names = ["archive", "book", "cancel", "delete", "export", "find", "grant", "hire"];
/** Tools that need approval: a run that calls one becomes pending and is resumed. */
const risky = new Set(["delete", "grant"]);
const tools = names.map((name) =>
  tool({
    name,
    description: `Does ${name} something`,
    input: [],
    risk: risky.has(name) ? "high" : "low",
    run: () => `${name} ran`,
  }),
);

type Asked = readonly [tool: string, input: unknown];
type Story = readonly (readonly Asked[])[];

const some = fc.subarray([...names, "nobody", "search_tools"], { minLength: 1 });
const asked = fc.oneof(
  fc.constantFrom(...names, "does nothing").map((query): Asked => ["search_tools", { query }]),
  some.map((wanted): Asked => ["load_tools", { names: wanted }]),
  fc.constant<Asked>(["load_tools", "not JSON"]),
  fc.constantFrom(...names, "nobody").map((name): Asked => [name, {}]),
  fc.constantFrom("handoff_to_boss", "handoff_to_desk").map((name): Asked => [name, {}]),
);
const story = fc.array(fc.array(asked, { minLength: 1, maxLength: 3 }), { maxLength: 8 });

/** A model that makes the calls of a story turn by turn, and records the tools shown to each agent. */
const teller = () => {
  const shown = new Map<string, string[][]>();
  let reported = 0;
  const left: (readonly Asked[])[] = [];
  const generate: Model["generate"] = async ({ messages, tools: listed }) => {
    const who = textOf(messages[0] as Message);
    shown.set(who, [...(shown.get(who) ?? []), listed.map(({ wireName }) => wireName)]);
    const turn = left.shift() ?? [];
    const calls = turn.map(([name, input]) => ({
      id: `c${++reported}`,
      tool: name,
      input: typeof input === "string" ? input : JSON.stringify(input),
    }));
    const finish = calls.length > 0 ? "calls" : "stop";
    return {
      text: calls.length > 0 ? "" : "Done.",
      calls,
      usage: { inputTokens: 1, outputTokens: 1 },
      finish,
    };
  };
  const model: Model = {
    id: "teller",
    generate,
    stream: () => {
      throw new Error("nobody streams");
    },
  };
  return { model, shown, tell: (turns: Story) => left.push(...turns) };
};

it("only appends to the tools that a model is shown", async () => {
  await fc.assert(
    fc.asyncProperty(
      story,
      story,
      fc.boolean(),
      fc.integer({ min: 1, max: 6 }),
      async (first, then, isYes, most) => {
        const { model, shown, tell } = teller();
        const ledger = memoryLedger({ redactor: redactor() });
        const open = () => Haft.open({ tools, principal, ledger, approver: () => undefined });
        const made = (name: string, other: () => Agent) =>
          agent({
            name,
            instructions: name,
            model,
            tools: ["*"],
            toolSearch: { always: name === "desk" ? ["find"] : [], maxLoaded: most },
            handoffs: [other],
          });
        const desk: Agent = made("desk", () => boss);
        const boss: Agent = made("boss", () => desk);
        /** Opens a new runtime each time: loaded tools are known only from the conversation. */
        const finish = async (response: AgentResponse): Promise<AgentResponse> => {
          if (response.status !== "pending") return response;
          const haft = await open();
          for (const { id } of response.pending) {
            await haft.resume(id, isYes ? { kind: "allow" } : { kind: "deny", reason: "no" });
          }
          const next = await haft.run(desk, undefined, { resume: response.runId, maxTurns: 50 });
          await haft.close();
          return await finish(next);
        };
        tell(first);
        const haft = await open();
        const before = await finish(await haft.run(desk, "Go", { maxTurns: 50 }));
        tell(then);
        const who = before.agent === "boss" ? boss : desk;
        const after = await finish(await haft.run(who, "More", { context: before.context, maxTurns: 50 }));
        await haft.close();
        expect([before.status, after.status]).toEqual(["done", "done"]);
        for (const [name, lists] of shown) {
          const base = ["find", "handoff_to_boss", "handoff_to_desk", "load_tools", "search_tools"].filter(
            (each) => each !== `handoff_to_${name}` && (each !== "find" || name === "desk"),
          );
          expect(lists[0]!.slice(0, base.length)).toEqual(base);
          for (const [index, list] of lists.entries()) {
            expect(new Set(list).size).toBe(list.length);
            if (index > 0) expect(list.slice(0, lists[index - 1]!.length)).toEqual(lists[index - 1]);
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});
