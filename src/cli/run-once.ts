import type { RunOptions } from "../agent/run-options.ts";
import type { Haft } from "../runtime/haft.ts";
import type { Agent, AgentResponse, RunInput, RunStatus } from "../words/agent.ts";
import { ToolError } from "../words/errors.ts";
import { exitCodes, type Terminal } from "./command.ts";
import { keepsRuns, notKept } from "./ledger/place.ts";
import { quoted, sameLedger, sameRuntime } from "./next-step.ts";
import { painter } from "./screen.ts";
import { showWay } from "./show-way.ts";
import { tellRun } from "./tell-run.ts";

/** Which exit code tells how a run ended. */
export const runCodes: Readonly<Record<RunStatus, number>> = {
  done: exitCodes.done,
  failed: exitCodes.failed,
  pending: exitCodes.pending,
  stopped: exitCodes.stopped,
  cancelled: exitCodes.cancelled,
};

interface OutputOptions {
  readonly json?: boolean;
  readonly trace?: boolean;
}

/** One run, told as it goes on unless a program reads it. */
export const answerOnce = async (
  { haft, agent }: { readonly haft: Haft; readonly agent: Agent },
  input: RunInput | undefined,
  options: RunOptions,
  { json, trace }: OutputOptions,
  terminal: Terminal,
): Promise<AgentResponse> => {
  const stream = haft.stream(agent, input, options);
  const ending = json === true ? stream.response : tellRun(stream, terminal);
  const response = await ending.catch((error: unknown) => keepOf(error, terminal));
  if (trace === true && json !== true) showWay(await haft.log({ runId: response.runId }), terminal);
  return response;
};

/** What was said and done before a run failed, if it came to anything. */
const keepOf = (error: unknown, terminal: Terminal): AgentResponse => {
  const response = ToolError.is(error) ? error.response : undefined;
  if (response === undefined || response.turns === 0) throw error;
  terminal.error(`${painter(terminal).red("haft:")} ${(error as Error).message}\n`);
  return response;
};

/** What the person does next about a run that waits, to be typed as it stands. */
export const tellWaiting = (
  response: AgentResponse,
  { file, ledger }: { readonly file: string; readonly ledger: unknown },
  given: object,
  terminal: Terminal,
): void => {
  const { dim } = painter(terminal);
  if (response.status !== "pending" || response.pending.length === 0) return;
  if (!keepsRuns(ledger, terminal.env)) {
    terminal.error(`${dim(notKept)}\n`);
    return;
  }
  const options = { ...given };
  const ids = response.pending.map(({ id }) => id).join(" ");
  const answer = `haft approve ${ids}${sameLedger(options)}`;
  const goOn = `haft resume ${response.runId} ${quoted(file)}${sameRuntime(options)}`;
  terminal.error(`${dim(`Answer with: ${answer}\nThen go on:  ${goOn}`)}\n`);
};
