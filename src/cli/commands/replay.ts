import type { BindMode } from "../../catalog/library/binding.ts";
import { notAsked, type ReplayOptions, replayRun } from "../../experiment/replay.ts";
import type { RepairMode } from "../../words/hydration.ts";
import type { RunRecord } from "../../words/run-book.ts";
import { agentOptions } from "../agent-options.ts";
import type { AgentWithCode } from "../agent-tools.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { findRun } from "../ledger/find-run.ts";
import { withRuntimeLedger } from "../ledger/open.ts";
import { loadAgent } from "../load-agent.ts";
import { Misuse } from "../misuse.ts";
import { type GivenRuntime, keepingOptions, runtimeOptionsOf } from "../open-runtime.ts";
import { openServices } from "../open-services.ts";
import { replayRuntime } from "../replay/replay-runtime.ts";
import { tellReplay } from "../replay/tell-replay.ts";
import { toJsonLine } from "../screen.ts";

/** What would be different if a run were made with other tools. No model is asked. */
export const replay = command({
  name: "replay",
  about: "Make the calls of a recorded run again with changed tools, and say what its model would be told.",
  operands: "RUN [AGENT]",
  options: {
    library: agentOptions.library,
    bind: agentOptions.bind,
    ...keepingOptions,
    execute: {
      type: "string",
      value: "WHICH",
      choices: ["read-only", "all", "none"],
      about: "which tools' code runs: those that only read unless given",
    },
    json: { type: "boolean", about: "print the whole comparison as JSON" },
  },
  examples: [
    { line: `haft run shop.gram "Where is order 7?" --record`, about: "a run that can be replayed" },
    {
      line: "haft replay run-4f3a9c0d1e2b3f44-1 shop.gram --library new.ts",
      about: "what would be different?",
    },
    {
      line: "haft replay run-4f3a9c0d1e2b3f44-1 --tools shop.ts --execute none",
      about: "would it still be let through?",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [typed, file, ...more] = operands;
    if (typed === undefined || more.length > 0) {
      throw new Misuse("haft replay takes a run, and the file of its agent. haft log --runs lists runs.");
    }
    const run = await withRuntimeLedger(options, terminal, (ledger) => findRun(ledger, typed));
    refuseForgotten(run);
    const replayed = file === undefined ? undefined : await agentOf(file, options, terminal);
    const opening = await runtimeOptionsOf(
      replayed === undefined ? withLibrary(options) : options,
      terminal,
      { agent: run.agent, caller: run.principal, ledger: "default" },
    );
    // Nobody is asked to allow what is only tried out, but whatever runs is on record.
    await using opened = await openServices({ ...opening, approver: () => notAsked });
    const replaying: ReplayOptions = {
      run,
      haft: replayRuntime(opened, replayed),
      execute: (options.execute ?? "read-only") as NonNullable<ReplayOptions["execute"]>,
      ...(options.repair === undefined ? {} : { repair: options.repair as RepairMode }),
    };
    const result = await replayRun(replaying);
    if (options.json === true) terminal.out(toJsonLine(result));
    else tellReplay(result, terminal);
    const { different, refused, gone } = result.summary;
    return different + refused + gone > 0 ? exitCodes.failed : exitCodes.done;
  },
});

const refuseForgotten = ({ runId, messages, turns }: RunRecord): void => {
  if (messages.length > 0 || turns === 0) return;
  throw new Error(`What was said in ${runId} was not kept. haft run --record keeps it for haft replay.`);
};

interface Given extends GivenRuntime {
  readonly library?: string;
  readonly bind?: string;
}

const agentOf = async (file: string, given: Given, terminal: Terminal): Promise<AgentWithCode> => {
  // No model is asked, so nobody need hear which one would have been.
  const { agent, library } = await loadAgent(file, { library: given.library, model: "offline" }, terminal);
  return { agent, library, mode: (given.bind ?? "compatible") as BindMode };
};

/** Without an agent there are no specs to bind code to, so the library has to be made of whole tools. */
const withLibrary = ({ library, ...given }: Given): GivenRuntime =>
  library === undefined ? given : { ...given, tools: [...(given.tools ?? []), library] };
