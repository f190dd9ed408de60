import fc from "fast-check";
import { Haft, tool } from "haft";
import { describe, expect, it } from "vitest";
import { newSessionLedger } from "../kit/session-scene.ts";

/** The next step of one of several loops with one of a few calls. */
const step = fc.record({
  loop: fc.nat(2),
  act: fc.constantFrom("turn", "turn", "asks", "both", "answer", "stands", "abort"),
  id: fc.nat(2),
  tool: fc.constantFrom("pay", "refund", "read"),
  mark: fc.nat(1),
  /** Microtasks between this step and the next. */
  pause: fc.nat(6),
  isYes: fc.boolean(),
});
const story = fc.array(step, { minLength: 4, maxLength: 14 });

const input = { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] } as const;

const play = async (steps: readonly Step[], ledger: string): Promise<void> => {
  const effects = new Map<string, number>();
  const refused = new Set<string>();
  const acting = (name: string, more: object = {}) =>
    tool({
      name,
      description: "Takes effect",
      input,
      run: async ({ mark }, { callId }) => {
        const key = `${callId} ${name} ${mark}`;
        effects.set(key, (effects.get(key) ?? 0) + 1);
        await Promise.resolve();
        return mark;
      },
      ...more,
    });
  const haft = await Haft.open({
    tools: [
      acting("pay"),
      acting("refund", { requiresApproval: true }),
      acting("read", { annotations: { readOnly: true, openWorld: true } }),
    ],
    principal: { agent: "clerk", allow: ["*"] },
    ledger,
  });
  const under: Promise<unknown>[] = [];
  const answered = new Map<string, string>();
  for (const { loop, act, id, tool: name, mark, pause, isYes } of steps) {
    const session = haft.session({ id: "s", waitMs: 5_000 });
    const call = {
      id: `c${id}`,
      tool: name,
      input: loop === 0 ? { mark: `${mark}` } : `{ "mark": "${mark}" }`,
    };
    if (act === "turn") under.push(session.turn([call]));
    if (act === "both") under.push(session.turn([call, { ...call, id: `c${id}b` }]));
    if (act === "asks") under.push(session.asks(call));
    if (act === "stands") under.push(session.stands(call));
    if (act === "abort") {
      const abort = new AbortController();
      under.push(session.turn([call], { signal: abort.signal }));
      await Promise.resolve();
      abort.abort();
    }
    if (act === "answer") {
      const [question] = await session.pending();
      if (question !== undefined) {
        const key = `${question.callId} ${question.tool} ${(question.input as { readonly mark: string }).mark}`;
        const kind = isYes ? "allow" : "deny";
        const answer = session.answer(question.id, { kind }).then(
          () => {
            if (!answered.has(key)) answered.set(key, kind);
            if (answered.get(key) === "deny") refused.add(key);
          },
          () => {},
        );
        under.push(answer);
      }
    }
    for (let tick = 0; tick < pause; tick += 1) await Promise.resolve();
  }
  await Promise.all(under);
  for (const [key, times] of effects) {
    if (!key.includes(" read ")) expect([key, times]).toEqual([key, 1]);
    expect(refused.has(key), `${key} was refused`).toBe(false);
  }
  const session = haft.session({ id: "s" });
  const questions = (await session.pending()).map(
    ({ callId, tool: name, inputHash }) => `${callId} ${name} ${inputHash}`,
  );
  expect(new Set(questions).size).toBe(questions.length);
  const log = await haft.log();
  expect(log.filter(({ ending }) => ending === "open")).toEqual([]);
  for (const [key] of effects) {
    const [callId, name] = key.split(" ");
    expect(log.some((entry) => entry.callId === callId && entry.tool === name && entry.ran === true)).toBe(
      true,
    );
  }
  await haft.close();
};

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const isSoak = process.env.HAFT_SOAK !== undefined;

describe("three concurrent loops over one session", () => {
  it.each([
    ["memory", 300],
    ["sqlite", 40],
  ] as const)(
    "make no call twice, request no approval twice, and make no call that was refused (%s)",
    async (kind, everyday) => {
      await fc.assert(
        fc.asyncProperty(story, async (steps) =>
          play(steps, kind === "memory" ? "memory" : newSessionLedger()),
        ),
        { numRuns: isSoak ? everyday * 30 : everyday, ...(isSoak ? {} : { seed: 17 }) },
      );
    },
    600_000,
  );
});
