import type { RunOptions } from "../agent/run-options.ts";
import { shellQuote } from "../base/text/shell-quote.ts";
import type { Haft } from "../runtime/haft.ts";
import type { Agent, AgentResponse, RunInput, RunStatus } from "../types/agent.ts";
import { ToolError } from "../types/errors.ts";
import { exitCodes, type Terminal } from "./command.ts";
import { runNotStoredNote, storesRunTexts } from "./ledger/ledger-place.ts";
import type { LedgerFlags } from "./ledger/with-ledger.ts";
import { printRun } from "./print-run.ts";
import { printStages } from "./print-stages.ts";
import { repeatLedgerFlags, repeatRuntimeFlags } from "./repeat-flags.ts";
import { painter } from "./screen.ts";

export const exitCodeByStatus: Readonly<Record<RunStatus, number>> = {
  done: exitCodes.done,
  failed: exitCodes.failed,
  pending: exitCodes.pending,
  stopped: exitCodes.stopped,
  cancelled: exitCodes.cancelled,
};

interface OutputFlags extends LedgerFlags {
  readonly json?: boolean;
  readonly trace?: boolean;
}

export const runAgentOnce = async (
  { haft, agent }: { readonly haft: Haft; readonly agent: Agent },
  input: RunInput | undefined,
  options: RunOptions,
  flags: OutputFlags,
  terminal: Terminal,
): Promise<AgentResponse> => {
  const { json, trace } = flags;
  const stream = haft.stream(agent, input, options);
  const ending = json === true ? stream.response : printRun(stream, terminal);
  const response = await ending.catch((error: unknown) => partialResponseOf(error, terminal));
  if (trace === true && json !== true)
    printStages(await haft.log({ runId: response.runId }), repeatLedgerFlags({ ...flags }), terminal);
  return response;
};

const partialResponseOf = (error: unknown, terminal: Terminal): AgentResponse => {
  const response = ToolError.is(error) ? error.response : undefined;
  if (response === undefined || response.turns === 0) throw error;
  terminal.error(`${painter(terminal).red("haft:")} ${(error as Error).message}\n`);
  return response;
};

export const printPendingHint = (
  response: AgentResponse,
  { file, ledger }: { readonly file: string; readonly ledger: unknown },
  given: object,
  terminal: Terminal,
): void => {
  const { dim } = painter(terminal);
  if (response.status !== "pending" || response.pending.length === 0) return;
  if (!storesRunTexts(ledger, terminal.env)) {
    terminal.error(`${dim(runNotStoredNote)}\n`);
    return;
  }
  const options = { ...given };
  const ids = response.pending.map(({ id }) => id).join(" ");
  const approveCommand = `haft approve ${ids}${repeatLedgerFlags(options)}`;
  const resumeCommand = `haft resume ${response.runId} ${shellQuote(file)}${repeatRuntimeFlags(options)}`;
  terminal.error(`${dim(`Answer with: ${approveCommand}\nThen resume:  ${resumeCommand}`)}\n`);
};
