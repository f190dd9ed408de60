import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { type AgentWithLibrary, collectAgentTools } from "../../agent/collect-agent-tools.ts";
import {
  type ReplayedCall,
  type ReplayOptions,
  type ReplayReport,
  type ReplayRuntime,
  replayApprovalAnswer,
  replayRun,
} from "../../agent/experiments/replay.ts";
import { RunRecorder } from "../../pipeline/recorder.ts";
import { Tools } from "../../pipeline/tools-service.ts";
import type { BindMode } from "../../registry/library/library-entry.ts";
import { Registry } from "../../registry/tool-registry.ts";
import type { RepairMode } from "../../types/hydration.ts";
import { Ledger } from "../../types/ledger.ts";
import { type RunRecord, runKindOf } from "../../types/run-store.ts";
import { agentOptions } from "../agent-options.ts";
import { CommandUsageError, command, exitCodes, jsonValue, type Terminal } from "../command.ts";
import { findRun } from "../ledger/find-run.ts";
import { sessionLabel } from "../ledger/short-id.ts";
import { withRuntimeLedger } from "../ledger/with-ledger.ts";
import { loadAgent } from "../load-agent.ts";
import { type RuntimeFlags, recordedRuntimeOptions, resolveRuntimeOptions } from "../open-runtime.ts";
import { type OpenServicesResult, openServices } from "../open-services.ts";
import {
  type ColorFunctions,
  painter,
  plainText,
  renderTitledTable,
  shortenToColumns,
  toJsonLine,
} from "../screen.ts";

export const replay = command({
  operands: "RUN [AGENT]",
  options: {
    library: agentOptions.library,
    bind: agentOptions.bind,
    ...recordedRuntimeOptions,
    execute: {
      type: "string",
      value: "WHICH",
      choices: ["read-only", "all", "none"],
      about: "which tools run: default read-only tools",
    },
    json: jsonValue("the whole comparison"),
  },
  examples: [
    { line: `haft run shop.gram "Where is order 7?" --record`, about: "a run that can be replayed" },
    {
      line: "haft replay run-4f3a9c0d1e2b3f44-1 shop.gram --library new.ts",
      about: "which replies would differ",
    },
    {
      line: "haft replay run-4f3a9c0d1e2b3f44-1 --tools shop.ts --execute none",
      about: "which calls would still be allowed",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [typed, file, ...more] = operands;
    if (typed === undefined || more.length > 0) {
      throw new CommandUsageError(
        "haft replay requires a run and the file of its agent. haft runs lists runs.",
      );
    }
    const run = await withRuntimeLedger(options, terminal, (ledger) => findRun(ledger, typed));
    requireStoredMessages(run);
    const replayed = file === undefined ? undefined : await loadReplayAgent(file, options, terminal);
    const opening = await resolveRuntimeOptions(
      replayed === undefined ? withLibraryTools(options) : options,
      terminal,
      { agent: run.agent, caller: run.principal, ledger: "default" },
    );
    await using opened = await openServices({ ...opening, approver: () => replayApprovalAnswer });
    const replaying: ReplayOptions = {
      run,
      haft: replayRuntime(opened, replayed),
      execute: (options.execute ?? "read-only") as NonNullable<ReplayOptions["execute"]>,
      ...(options.repair === undefined ? {} : { repair: options.repair as RepairMode }),
    };
    const result = await replayRun(replaying);
    if (options.json === true) terminal.out(toJsonLine(result));
    else printReplay(result, terminal);
    const { different, refused, gone } = result.summary;
    return different + refused + gone > 0 ? exitCodes.failed : exitCodes.done;
  },
});

const requireStoredMessages = (run: RunRecord): void => {
  const { runId, messages, turns } = run;
  const session = sessionLabel(run);
  if (runKindOf(runId) === "chat") {
    throw new Error(`${runId} is the ${session}. Its page has the conversation, so it cannot be replayed.`);
  }
  if (session !== undefined) {
    throw new Error(
      `${runId} is the ${session}. The process that drives it holds the conversation, so it cannot be replayed. ` +
        `haft log --run ${runId} lists its calls.`,
    );
  }
  if (messages.length > 0 || turns === 0) return;
  throw new Error(`The conversation of ${runId} is not stored. haft run --record stores it for haft replay.`);
};

interface ReplayFlags extends RuntimeFlags {
  readonly library?: string;
  readonly bind?: string;
}

const loadReplayAgent = async (
  file: string,
  given: ReplayFlags,
  terminal: Terminal,
): Promise<AgentWithLibrary> => {
  const overrides = { library: given.library, model: "offline", ...(given.trust && { trust: true }) };
  const { agent, library } = await loadAgent(file, overrides, terminal);
  return { agent, library, mode: (given.bind ?? "compatible") as BindMode };
};

/** Without an agent there are no specs to bind to, so the library must export whole tools. */
const withLibraryTools = ({ library, ...given }: ReplayFlags): RuntimeFlags =>
  library === undefined ? given : { ...given, tools: [...(given.tools ?? []), library] };

const replayRuntime = (opened: OpenServicesResult, replayed: AgentWithLibrary | undefined): ReplayRuntime => {
  const { services, principal: caller } = opened;
  const tools = Context.get(services, Tools);
  const log: ReplayRuntime["log"] = (query) =>
    Effect.runPromise(Context.get(services, Ledger).entries(query));
  if (replayed === undefined) {
    return {
      log,
      turn: (calls, options = {}) => Effect.runPromise(tools.turn(calls, { principal: caller, ...options })),
    };
  }
  const { agent } = replayed;
  const byWireName = collectAgentTools(Context.get(opened.services, Registry), replayed);
  return {
    log,
    turn: (calls, { layers = [], principal = caller, repair, correlationId, scope } = {}) =>
      Effect.runPromise(
        tools.step(calls, {
          scope: scope ?? { id: tools.newId("run"), agent: agent.name, tally: new RunRecorder() },
          layers: { run: layers, agent: agent.layers },
          shown: { byWireName },
          principal,
          correlationId,
          ...(repair === undefined ? {} : { repair }),
        }),
      ),
  };
};

const printReplay = ({ calls, summary, runId }: ReplayReport, terminal: Terminal): void => {
  const paint = painter(terminal);
  if (calls.length === 0) {
    terminal.error(`${runId} made no calls.\n`);
    return;
  }
  const rows = calls.map(({ callId, tool, status, why }) => [
    shortenToColumns(callId, 40),
    shortenToColumns(tool, 40),
    paintStatus(status, paint),
    plainText(why ?? ""),
  ]);
  terminal.out(renderTitledTable(["CALL", "TOOL", "NOW", "WHY"], rows, terminal));
  for (const call of calls) if (call.diff !== "") terminal.out(formatDiff(call, paint));
  const counts = Object.entries(summary).filter(([status, count]) => status !== "total" && count > 0);
  terminal.error(`${paint.dim(`${counts.map(([status, count]) => `${count} ${status}`).join(", ")}`)}\n`);
};

const paintStatus = (status: ReplayedCall["status"], { green, red, yellow, dim }: ColorFunctions): string => {
  const colors = { same: green, different: yellow, refused: red, gone: red, "not-run": dim };
  return colors[status](status);
};

const formatDiff = ({ callId, tool, diff }: ReplayedCall, { bold, red, green }: ColorFunctions): string => {
  const lines = diff.split("\n").map((line) => {
    const clean = `  ${plainText(line)}`;
    if (line.startsWith("-")) return red(clean);
    return line.startsWith("+") ? green(clean) : clean;
  });
  return `\n${bold(`${plainText(tool)} ${plainText(callId)}`)}\n${lines.join("\n")}\n`;
};
