// Layers written with promises and with Effect: see docs/guides/layers.md.
import assert from "node:assert/strict";
//#region promises
import { Haft, tool } from "haft";
import {
  type ApprovalQuestion,
  approval,
  asyncLayer,
  authorize,
  failed,
  type Outcome,
  rewrite,
  runContext,
} from "haft/layers";

const shout = asyncLayer(async (call, next) => {
  const outcome = await next(call);
  return outcome._tag === "value" ? { ...outcome, value: String(outcome.value).toUpperCase() } : outcome;
});
//#endregion

//#region async-observe
const log: string[] = [];

const observe = asyncLayer(async (call, next) => {
  const outcome = await next(call);
  log.push(`${call.spec.name}: ${outcome._tag}`);
  return outcome;
});
//#endregion

//#region outcome
const tooLate = (tool: string, millis: number): Outcome =>
  failed({
    code: "timed_out",
    tool,
    ran: true,
    message: `The tool "${tool}" did not answer within ${millis} ms.`,
  });
//#endregion

//#region async-race
const patient = (millis: number) =>
  asyncLayer(async (call, next) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => resolve(tooLate(call.spec.name, millis)), millis);
    });
    try {
      return await Promise.race([next(call), late]);
    } finally {
      clearTimeout(timer);
    }
  });

//#endregion

//#region nothing
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type { Handler, ToolLayer } from "haft/layers";

const nothing: ToolLayer = (next: Handler): Handler => {
  return (call) => next(call);
};
//#endregion

//#region observe
const observeEffect: ToolLayer = (next) => (call) =>
  Effect.map(next(call), (outcome) => {
    log.push(`${call.spec.name}: ${outcome._tag}`);
    return outcome;
  });
//#endregion

//#region race
const race =
  (millis: number): ToolLayer =>
  (next) =>
  (call) =>
    Effect.timeoutOrElse(next(call), {
      duration: millis,
      orElse: () => Effect.succeed(tooLate(call.spec.name, millis)),
    });
//#endregion

//#region cheap
const within =
  (millis: number): ToolLayer =>
  (next) =>
  (call) =>
    Effect.withFiber((parent) =>
      Effect.callback<Outcome>((resume) => {
        const work = Effect.runForkWith(parent.context)(next(call));
        const done = work.pollUnsafe();
        if (done !== undefined) {
          resume(done);
          return;
        }
        const timer = Effect.runForkWith(parent.context)(Effect.sleep(millis));
        timer.addObserver(() => {
          resume(Effect.succeed(tooLate(call.spec.name, millis)));
          work.interruptUnsafe();
        });
        work.addObserver((exit) => {
          resume(exit);
          timer.interruptUnsafe();
        });
        return Fiber.interruptAll([work, timer]);
      }),
    );
//#endregion

//#region gauge
const gauge = { now: 0, most: 0 };

const measure: ToolLayer = (next) => (call) =>
  Effect.suspend(() => {
    gauge.now += 1;
    gauge.most = Math.max(gauge.most, gauge.now);
    return Effect.ensuring(
      next(call),
      Effect.sync(() => {
        gauge.now -= 1;
      }),
    );
  });
//#endregion

//#region context
const firstThree = runContext<number>({
  initial: () => 0,
  step: (count, _call, outcome) => [count + 1, count < 3 ? outcome : rewrite("left out", outcome)],
});
//#endregion

//#region decide
const big = ({ input }: ApprovalQuestion): boolean => (input as { euros: number }).euros > 100;

const askAboutBig = approval({ when: big, reason: "more than 100 euros" });
const neverBig = authorize((question) =>
  big(question) ? { kind: "deny", reason: "at most 100 euros" } : { kind: "allow" },
);
//#endregion

const aborted: string[] = [];
const hang = tool({
  name: "hang",
  description: "Never answers",
  input: { type: "object" },
  run: (_, { signal, tool }) => new Promise(() => signal.addEventListener("abort", () => aborted.push(tool))),
});
//#region place
const greet = tool({
  name: "greet",
  description: "Greets",
  input: { type: "object" },
  run: () => "hello",
}).layer(patient(1_000), shout); // calls have a second, and results are shouted

const haft = await Haft.open({
  tools: [greet],
  principal: { agent: "demo", allow: ["*"] },
  layers: [observe], // by the operator: around every tool
});
//#endregion
haft.register(hang.withName("awaited").layer(patient(20)));
haft.register(hang.withName("raced").layer(race(20)));
haft.register(hang.layer(within(20)));
const replies = await haft.turn(
  ["awaited", "raced", "hang", "greet"].map((name) => ({ id: name, tool: name, input: "{}" })),
  { layers: [nothing, observeEffect] },
);
assert.deepEqual(
  replies.map((reply) => reply.failure?.code ?? reply.value),
  ["timed_out", "timed_out", "timed_out", "HELLO"],
);
assert.deepEqual(aborted.sort(), ["awaited", "hang", "raced"], "a layer cancels what it no longer waits for");
// Both observing layers saw every call.
assert.deepEqual(
  log.sort(),
  ["awaited: failure", "greet: value", "hang: failure", "raced: failure"].flatMap((line) => [line, line]),
);

const slow = tool({
  name: "slow",
  description: "Takes a moment",
  input: { type: "object" },
  run: async () => {
    await new Promise((done) => setImmediate(done));
    return "whole";
  },
});
haft.register(slow.layer(measure));
const eight = Array.from({ length: 8 }, (_, index) => ({ id: `slow-${index}`, tool: "slow", input: "{}" }));
const parallel = await haft.turn(eight, { layers: [firstThree] });
assert.deepEqual(gauge, { now: 0, most: 8 }, "eight calls ran at once, and each was counted out again");
assert.equal(parallel.filter(({ value }) => value === "whole").length, 3, "no update of the count was lost");

const pay = tool({
  name: "pay",
  description: "Pays",
  input: { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] },
  run: () => "paid",
});
haft.register(pay.withName("pay_asking").layer(askAboutBig));
haft.register(pay.withName("pay_limited").layer(neverBig));
const payments = await haft.turn(
  ["pay_asking", "pay_limited"].flatMap((name) =>
    [100, 101].map((euros) => ({ id: `${name}-${euros}`, tool: name, input: { euros } })),
  ),
);
assert.deepEqual(
  payments.map(({ failure, value }) => failure?.code ?? value),
  ["paid", "approval_required", "paid", "approval_denied"],
);

await haft.close();
console.log("four layers, three timeouts, nothing left running");
