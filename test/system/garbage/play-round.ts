// allow-sleep in this file: the campaign reports how long after its deadline a step ended
import { setTimeout as pause } from "node:timers/promises";
import { openSession } from "../../../src/mcp/client/open-session.ts";
import { ToolError } from "../../../src/types/errors.ts";
import type { McpSession, McpSessionServices } from "../../../src/types/mcp.ts";
import type { Ending, Expectation, Mode } from "./expectations.ts";
import type { Era } from "./honest.ts";
import { groupEnd } from "./processes.ts";

export interface Round {
  readonly mode: Mode;
  readonly era: Era;
  readonly server: string;
  readonly mark: string;
  /** How often the failing step is repeated on one connection. */
  readonly calls: number;
  /** When the caller cancels. */
  readonly cancelMs: number;
}

export interface RoundOutcome {
  readonly mode: Mode;
  readonly endings: readonly Ending[];
  /** By how much the slowest step exceeded its deadline, when a deadline ends it. */
  readonly overMs: number;
  /** Maximum time until a failure was reported. */
  readonly toldMs: number;
  readonly broken: readonly string[];
  /** When the connection is closed; resolves with errors of that. */
  readonly closed: Promise<readonly string[]>;
}

/** Only for steps that are expected to time out: no action of the server can end them earlier. */
const deadlines = { connect: 300, call: 150 };
/** For all other steps, so that a busy machine does not change their result. */
const patientMs = 180_000;

export const services: McpSessionServices = {
  reveal: async (value) => (typeof value === "string" ? value : ""),
  principal: undefined,
  connectTimeoutMs: patientMs,
  callTimeoutMs: patientMs,
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be in what people and models read
const unfit = /[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e]/;

/** Runs one step, and checks its ending against the table of expectations. */
const take = async (
  work: Promise<unknown>,
): Promise<{ readonly ending: Ending; readonly broken?: string }> => {
  try {
    await work;
    return { ending: "ok" };
  } catch (error) {
    if (!ToolError.is(error)) return { ending: "ok", broken: `failed without a ToolError: ${error}` };
    if (error.message.length > 600)
      return { ending: error.code, broken: `has ${error.message.length} characters to say` };
    if (unfit.test(error.message))
      return { ending: error.code, broken: "has control characters in its message" };
    return { ending: error.code };
  }
};

/** How long after its deadline a step is abandoned. */
const hopelessMs = 60_000;
const over = async (ms: number): Promise<Awaited<ReturnType<typeof take>>> => {
  await pause(ms, undefined, { ref: false });
  return { ending: "ok", broken: "is not over long after its deadline" };
};

export const playRound = async (round: Round, expected: Expectation): Promise<RoundOutcome> => {
  const { mode, era, server, mark, calls, cancelMs } = round;
  const endings: Ending[] = [];
  const broken: string[] = [];
  let overMs = Number.NEGATIVE_INFINITY;
  let toldMs = Number.NEGATIVE_INFINITY;

  const step = async (
    name: string,
    may: readonly Ending[] | undefined,
    limitMs: number,
    work: () => Promise<unknown>,
  ) => {
    const start = performance.now();
    const { ending, broken: wrong } = await Promise.race([take(work()), over(limitMs + hopelessMs)]);
    const took = performance.now() - start;
    if (limitMs < patientMs) overMs = Math.max(overMs, took - limitMs);
    if (ending !== "ok") toldMs = Math.max(toldMs, took);
    if (wrong !== undefined) broken.push(`${mode}: ${name} ${wrong}`);
    if (!(may ?? ["ok"]).includes(ending))
      broken.push(`${mode} (${era}): ${name} ended with ${ending} after ${Math.round(took)} ms`);
    if (may !== undefined) endings.push(ending);
    return ending === "ok";
  };

  let session: McpSession | undefined;
  const deadlineOf = (may: readonly Ending[] | undefined, deadlineMs: number): number =>
    may?.includes("timed_out") ? deadlineMs : patientMs;
  const connectMs = expected.connectsLate === true ? deadlines.connect : patientMs;
  const listMs = deadlineOf(expected.list, deadlines.call);
  const callMs = deadlineOf(expected.call, deadlines.call);
  const isOpen = await step("the connection", expected.connect, connectMs, async () => {
    session = await openSession(
      {
        id: "bad",
        command: process.execPath,
        args: [server, mode, era, mark],
        connectTimeoutMs: connectMs,
        callTimeoutMs: listMs,
      },
      services,
    );
  });
  const opened = session as McpSession | undefined;
  if (isOpen && opened !== undefined) {
    const isListed = await step("the list", expected.list, listMs, () => opened.listTools());
    const call = (text: string, timeoutMs: number) => async () => {
      const signal = expected.cancels ? AbortSignal.timeout(cancelMs) : undefined;
      const params = { name: "echo", arguments: { text } };
      const result = await opened.request({
        method: "tools/call",
        params,
        timeoutMs,
        ...(signal && { signal }),
      });
      const said = JSON.stringify(result);
      if (said.includes("hello") && !said.includes(text))
        throw new Error(`an answer to another call: ${said}`);
    };
    for (let made = 0; isListed && made < (expected.lasts ? calls : 1); made++) {
      const isAnswered = await step("the call", expected.call, callMs, call(`hello-${made}`, callMs));
      if (isAnswered && expected.call === undefined) endings.push("ok");
    }
    if (isListed && expected.recovers)
      await step("the call after it", undefined, patientMs, call("hello-again", patientMs));
  }
  const closed = async (): Promise<readonly string[]> => {
    await opened?.close();
    const pid = opened?.pid;
    if (pid === undefined) return [];
    return groupEnd(pid).then(
      () => [],
      (error) => [`${mode}: ${error.message}`],
    );
  };
  if (Object.hasOwn(Object.prototype, "polluted")) broken.push(`${mode}: every object is polluted`);
  return { mode, endings, overMs, toldMs, broken, closed: closed() };
};
