// allow-sleep in this file: a program that holds a call until another process releases it
import { existsSync, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { redactor } from "../../../src/base/json/redact.ts";
import { type AgentResponse, Haft, type ToolMessage, tool } from "../../../src/exports/index.ts";
import type { LeaseTimings } from "../../../src/ledger/durable/leases/ledger-owners.ts";
import { openDurableLedger } from "../../../src/ledger/open-durable-ledger.ts";
import { ToolError } from "../../../src/types/errors.ts";
import { observed } from "./observed-ledger.ts";
import { heldMark, payer, type Script } from "./script.ts";
import { type Actor, releaseFile, witness } from "./witness.ts";
import { jumpMonotonicClock } from "./wrong-clock.ts";

export interface ActorOptions {
  readonly actor: Actor;
  readonly place: string;
  readonly folder: string;
  readonly script: Script;
  readonly times: Partial<Omit<LeaseTimings, "monotonic">>;
  /** How `a` waits inside the held call: with a running or a blocked event loop. */
  readonly holds: "awaiting" | "blocking";
  /** The held call fails once it is released. */
  readonly fails: boolean;
  /** What `b` does after a refusal: it retries until the run is free, or cancels it. */
  readonly takes: "claim" | "give-up";
}

/** A report of a process, one line of output each. */
export type ActorReport =
  | { readonly kind: "ready" | "inside" | "taken" }
  | {
      readonly kind: "ended";
      readonly status: string;
      readonly reason?: string | undefined;
      readonly heldReply?: string;
    }
  | { readonly kind: "rejected"; readonly code: string; readonly message: string };

/** Maximum lifetime, in case the parent process is gone. */
const longestLifeMs = 600_000;

const options = JSON.parse(process.argv[2] ?? "{}") as ActorOptions;
const { actor, place, folder, script, times, holds, fails, takes } = options;
const report = (line: ActorReport): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};
const isReleased = (): boolean => existsSync(releaseFile(folder));

/** Blocks synchronously inside the tool, independent of the runtime. */
const blockUntilReleased = (): void => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; !isReleased(); waitedMs += 5) {
    if (waitedMs > longestLifeMs) process.exit(3);
    Atomics.wait(cell, 0, 0, 5);
  }
};

const hold = async (): Promise<void> => {
  jumpMonotonicClock();
  report({ kind: "inside" });
  if (holds === "blocking") return blockUntilReleased();
  while (!isReleased()) await pause(5);
};

const pay = tool({
  name: "pay",
  description: "Takes effect each time it is called",
  input: { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] },
  run: async ({ mark }, { callId }) => {
    witness(folder, { kind: "effect", by: actor, mark, callId });
    if (actor === "a" && mark === heldMark) await hold();
    witness(folder, { kind: "returned", by: actor, mark });
    if (mark === heldMark && fails) throw new Error("declined");
    return { paid: mark };
  },
});

const open = async () => {
  const ledger = await openDurableLedger(place, { redactor: redactor(), times });
  const haft = await Haft.open({
    tools: [pay],
    ledger: observed(ledger, actor, folder, () => report({ kind: "taken" })),
    principal: { agent: "payer", allow: ["*"] },
  });
  return { ledger, haft };
};

const codeOf = (error: unknown): string => (ToolError.is(error) ? error.code : "no ToolError");

const reportEnd = async (run: () => Promise<AgentResponse>): Promise<void> => {
  try {
    const { status, reason, context } = await run();
    const heldReply = context.find(
      (one): one is ToolMessage => one.role === "tool" && one.callId === `c${script.turnsBefore}-0`,
    );
    report({
      kind: "ended",
      status,
      reason,
      ...(heldReply === undefined ? {} : { heldReply: heldReply.content }),
    });
  } catch (error) {
    report({ kind: "rejected", code: codeOf(error), message: String(error) });
  }
};

/** Refusals that are retried; the parent process limits the time. */
const isRefusedForNow = (error: unknown): boolean =>
  codeOf(error) === "still_running" || codeOf(error) === "ledger_unavailable";

const resumeWhenFree = async (haft: Haft, runId: string): Promise<AgentResponse> => {
  for (;;) {
    try {
      return await haft.run(payer(script), undefined, { resume: runId, maxConcurrency: 1 });
    } catch (error) {
      if (!isRefusedForNow(error)) throw error;
    }
    await pause(20);
  }
};

/** The run of a live process cannot be claimed; only then is it cancelled. */
const giveUp = async (haft: Haft, runId: string): Promise<void> => {
  try {
    await haft.run(payer(script), undefined, { resume: runId, maxConcurrency: 1 });
    report({ kind: "rejected", code: "not refused", message: "The run of a living process was handed out." });
  } catch (error) {
    if (codeOf(error) !== "still_running") throw error;
    const answer = await haft.giveUp(runId, { by: "operator" });
    const { status = "unknown", reason } = (await haft.runs()).find((one) => one.runId === runId) ?? {};
    report({ kind: "ended", status: answer === "given-up" ? status : answer, reason });
  }
};

const takeOver = async (haft: Haft): Promise<void> => {
  const [left] = await haft.runs({ status: "running" });
  if (left === undefined) throw new Error("No run to take over.");
  if (takes === "give-up") await giveUp(haft, left.runId);
  else await reportEnd(() => resumeWhenFree(haft, left.runId));
};

setTimeout(() => process.exit(3), longestLifeMs).unref();
report({ kind: "ready" });
if (actor === "b") await new Promise((resolve) => process.stdin.once("data", resolve));
try {
  const { ledger, haft } = await open();
  if (actor === "a") await reportEnd(() => haft.run(payer(script), "Pay.", { maxConcurrency: 1 }));
  else await takeOver(haft);
  await haft.close();
  await ledger.end();
} catch (error) {
  // Also reports a failed open, so that the parent does not wait for it.
  report({ kind: "rejected", code: codeOf(error), message: String(error) });
}
process.exit(0);
