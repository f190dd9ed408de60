import type { AgentStream } from "../agent/agent-stream.ts";
import type { AgentEvent, AgentResponse } from "../types/agent.ts";
import { describeMedia, mediaOf } from "../types/content.ts";
import type { RunPlan } from "../types/lineage.ts";
import type { Terminal } from "./command.ts";
import { type ColorFunctions, painter, plainText, shortenToColumns } from "./screen.ts";

export const printRun = async (stream: AgentStream, terminal: Terminal): Promise<AgentResponse> => {
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
