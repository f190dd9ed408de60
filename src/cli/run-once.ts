import type { AgentStream } from "../agent/agent-stream.ts";
import type { RunOptions } from "../agent/run-options.ts";
import { shellQuote } from "../base/text/shell-quote.ts";
import type { Haft } from "../runtime/haft.ts";
import type { Agent, AgentEvent, AgentResponse, RunInput, RunStatus } from "../types/agent.ts";
import { ToolError } from "../types/errors.ts";
import type { RunPlan } from "../types/lineage.ts";
import { describeMedia, mediaOf } from "../types/message.ts";
import { exitCodes, type Terminal } from "./command.ts";
import { runNotStoredNote, storesRunTexts } from "./ledger/known-ledgers.ts";
import type { LedgerFlags } from "./ledger/with-ledger.ts";
import { printStages } from "./print-stages.ts";
import { repeatLedgerFlags, repeatRuntimeFlags } from "./repeat-flags.ts";
import { type ColorFunctions, painter, plainText, shortenToColumns } from "./screen.ts";

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

const printRun = async (stream: AgentStream, terminal: Terminal): Promise<AgentResponse> => {
  const paint = painter(terminal);
  const waiting = new Set<string>();
  let hasOpenLine = false;
  const printBeside = (line: string): void => {
    if (hasOpenLine) terminal.out("\n");
    hasOpenLine = false;
    terminal.error(`${line}\n`);
  };
  for await (const event of stream) {
    if (event.kind === "text") {
      terminal.out(event.text);
      hasOpenLine = true;
      continue;
    }
    if (event.kind === "approval") waiting.add(event.request.callId);
    const line = eventLine(event.kind === "turn" ? withoutPendingCalls(event, waiting) : event, paint);
    if (line !== undefined) printBeside(line);
  }
  const response = await stream.response;
  if (hasOpenLine) terminal.out("\n");
  // If a tool ended the run, no model text was streamed.
  else if (response.status === "done") terminal.out(`${response.content}\n`);
  for (const part of mediaOf(response.parts)) printBeside(paint.dim(`+ ${plainText(describeMedia(part))}`));
  if (response.status !== "done")
    printBeside(paint.yellow(`[${response.status}] ${plainText(response.reason ?? "")}`));
  return response;
};

type TurnEvent = Extract<AgentEvent, { readonly kind: "turn" }>;

const withoutPendingCalls = (turn: TurnEvent, waiting: ReadonlySet<string>): TurnEvent => ({
  ...turn,
  invocations: turn.invocations.filter(({ ok, callId }) => ok || !waiting.has(callId)),
});

const maxShownLength = 200;

const eventLine = (
  event: AgentEvent,
  { dim, green, red, yellow, cyan }: ColorFunctions,
): string | undefined => {
  switch (event.kind) {
    case "calls":
      return event.calls
        .map(({ tool, input }) => dim(`${cyan("→")} ${plainText(tool)} ${shortText(input)}`))
        .join("\n");
    case "call-progress":
      return dim(`  ${plainText(event.tool)}: ${shortText(event.update)}`);
    case "turn":
      return event.invocations.length === 0
        ? undefined
        : event.invocations
            .map(({ name, ok, result, error, reason, parts }) =>
              dim(
                `${ok ? green("✓") : red("✗")} ${plainText(name)} ${shortText(ok ? result : (reason ?? error))}${mediaSuffix(parts)}`,
              ),
            )
            .join("\n");
    case "plan":
      return dim(`plan: ${plainText(planText(event.plan))}`);
    case "approval":
      return yellow(`? ${event.request.tool} is pending approval ${event.request.id}`);
    case "handoff":
      return dim(`⇢ ${plainText(event.from)} hands off to ${plainText(event.to)}`);
    case "loss":
      return yellow(
        `! ${plainText(event.loss.model)} receives a text description only: ${plainText(event.loss.mediaType)}`,
      );
    case "reset":
      return yellow("… the model request is retried");
    default:
      return undefined;
  }
};

const planText = ({ uses }: RunPlan): string =>
  uses
    .map(({ tool, targets }) => (targets === undefined ? tool : `${tool} (${targets.join(", ")})`))
    .join(", ") || "no call that carries data out";

const mediaSuffix = (parts: AgentResponse["parts"]): string => {
  const media = mediaOf(parts);
  return media.length === 0 ? "" : plainText(`  + ${media.map(describeMedia).join(", ")}`);
};

const shortText = (value: unknown): string =>
  shortenToColumns(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), maxShownLength);

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
