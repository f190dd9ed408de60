import type { AgentStream } from "../agent/agent-stream.ts";
import type { AgentEvent, AgentResponse } from "../words/agent.ts";
import { describeMedia, mediaOf } from "../words/content.ts";
import type { Terminal } from "./command.ts";
import { type Paint, painter, plain, shorten } from "./screen.ts";

/** A run as a person follows it: the answer on standard output, what happens beside it on standard error. */
export const tellRun = async (stream: AgentStream, terminal: Terminal): Promise<AgentResponse> => {
  const paint = painter(terminal);
  const waiting = new Set<string>();
  let isOpen = false;
  const aside = (line: string): void => {
    if (isOpen) terminal.out("\n");
    isOpen = false;
    terminal.error(`${line}\n`);
  };
  for await (const event of stream) {
    if (event.kind === "text") {
      terminal.out(event.text);
      isOpen = true;
      continue;
    }
    if (event.kind === "approval") waiting.add(event.request.callId);
    const line = lineOf(event.kind === "turn" ? withoutWaiting(event, waiting) : event, paint);
    if (line !== undefined) aside(line);
  }
  const response = await stream.response;
  if (isOpen) terminal.out("\n");
  // A tool may have had the last word, which no model streams.
  else if (response.status === "done") terminal.out(`${response.content}\n`);
  for (const part of mediaOf(response.parts)) aside(paint.dim(`+ ${plain(describeMedia(part))}`));
  if (response.status !== "done") aside(paint.yellow(`[${response.status}] ${plain(response.reason ?? "")}`));
  return response;
};

type Turn = Extract<AgentEvent, { readonly kind: "turn" }>;

/** What waits has been told already, and has not failed. */
const withoutWaiting = (turn: Turn, waiting: ReadonlySet<string>): Turn => ({
  ...turn,
  invocations: turn.invocations.filter(({ ok, callId }) => ok || !waiting.has(callId)),
});

const longest = 200;

const lineOf = (event: AgentEvent, { dim, green, red, yellow, cyan }: Paint): string | undefined => {
  switch (event.kind) {
    case "calls":
      return event.calls
        .map(({ tool, input }) => dim(`${cyan("→")} ${plain(tool)} ${inShort(input)}`))
        .join("\n");
    case "call-progress":
      return dim(`  ${plain(event.tool)}: ${inShort(event.update)}`);
    case "turn":
      return event.invocations.length === 0
        ? undefined
        : event.invocations
            .map(({ name, ok, result, error, parts }) =>
              dim(
                `${ok ? green("✓") : red("✗")} ${plain(name)} ${inShort(ok ? result : error)}${besides(parts)}`,
              ),
            )
            .join("\n");
    case "approval":
      return yellow(`? ${event.request.tool} waits for approval ${event.request.id}`);
    case "handoff":
      return dim(`⇢ ${plain(event.from)} hands over to ${plain(event.to)}`);
    case "loss":
      return yellow(`! ${plain(event.loss.model)} is told in words only: ${plain(event.loss.mediaType)}`);
    case "reset":
      return yellow("… the model is asked once more");
    default:
      return undefined;
  }
};

const besides = (parts: AgentResponse["parts"]): string => {
  const media = mediaOf(parts);
  return media.length === 0 ? "" : plain(`  + ${media.map(describeMedia).join(", ")}`);
};

const inShort = (value: unknown): string =>
  shorten(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), longest);
