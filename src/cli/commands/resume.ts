import type { BindMode } from "../../catalog/library/binding.ts";
import type { Agent } from "../../words/agent.ts";
import { isSameParty } from "../../words/principal.ts";
import type { RunRecord } from "../../words/run-book.ts";
import { agentOptions, runOptionsOf } from "../agent-options.ts";
import { everyAgent } from "../agent-tools.ts";
import { answerOnce, runCodes, tellWaiting } from "../answer-once.ts";
import { approvalLayouts } from "../approvals/listing.ts";
import { listed } from "../columns.ts";
import { command, exitCodes } from "../command.ts";
import { withRuntimeLedger } from "../ledger/open.ts";
import { loadAgent } from "../load-agent.ts";
import { Misuse } from "../misuse.ts";
import { openWith, runtimeOptionsOf } from "../open-runtime.ts";
import { refuseChanged } from "../resume/refuse-changed.ts";
import { resumeCalls } from "../resume/resume-calls.ts";
import { type Unfinished, unfinished } from "../resume/unfinished.ts";
import { plain, toJsonLine } from "../screen.ts";

/** Another process goes on where one stopped; what was done is not done again. */
export const resume = command({
  name: "resume",
  about: "Go on with a run that waited for a person, or whose process ended.",
  operands: "RUN [AGENT]",
  options: {
    ...agentOptions,
    force: {
      type: "boolean",
      about: "go on although a tool is not the same as when it was approved; that call is not made",
    },
  },
  examples: [
    { line: "haft resume run-4f3a9c0d1e2b3f44-1 shop.ts", about: "with the agent that the run is of" },
    { line: "haft log --runs", about: "which runs wait, and which were left" },
    {
      line: "haft resume run-4f3a9c0d1e2b3f44-1 --tools shop.ts",
      about: "a call of haft call that was approved",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [typed, file, ...more] = operands;
    if (typed === undefined || more.length > 0) {
      throw new Misuse("haft resume takes a run, and the file of its agent. haft log --runs lists runs.");
    }
    const found: Unfinished = await withRuntimeLedger(options, terminal, (ledger) =>
      unfinished(ledger, typed, terminal.now()),
    );
    if (found.waiting.length > 0) {
      const table = listed(approvalLayouts(terminal.now), found.waiting, terminal);
      if (options.json === true) for (const each of found.waiting) terminal.out(toJsonLine(each));
      else terminal.error(`${found.runId} still waits for answers:\n${table}`);
      return exitCodes.pending;
    }
    if (found.run === undefined) return resumeCalls(found, options, terminal);
    if (file === undefined) {
      throw new Misuse(
        `${found.runId} is a run of the agent "${plain(found.run.agent)}": name its file too.`,
      );
    }
    const loaded = await loadAgent(file, options, terminal);
    refuseOther(found.run, loaded.agent, file);
    const common = runOptionsOf(options, loaded, terminal);
    const opening = await runtimeOptionsOf({ ...options, model: undefined }, terminal, {
      agent: loaded.agent.name,
      caller: found.run.principal,
      ledger: "default",
    });
    // To anybody but its own caller a run does not exist.
    if (!isSameParty(found.run.principal, opening.principal)) throw noSuchRun(typed);
    const mode = (options.bind ?? "compatible") as BindMode;
    if (options.force !== true) await refuseChanged(found.answered, opening, { ...loaded, mode });
    await using opened = await openWith(opening);
    const asked = { haft: opened.haft, agent: loaded.agent };
    const response = await answerOnce(
      asked,
      undefined,
      { ...common, resume: found.runId },
      options,
      terminal,
    );
    if (options.json === true) terminal.out(toJsonLine(response));
    else tellWaiting(response, file, options, terminal);
    return terminal.signal.aborted ? exitCodes.cancelled : runCodes[response.status];
  },
});

/** Whoever the run was handed over to is an agent of the file too. */
const refuseOther = ({ runId, agent: name }: RunRecord, agent: Agent, file: string): void => {
  if ([...everyAgent(agent)].some((each) => each.name === name)) return;
  throw new Misuse(`${runId} is a run of the agent "${plain(name)}"; ${file} has "${plain(agent.name)}".`);
};

const noSuchRun = (typed: string): Error =>
  new Error(`There is no run "${plain(typed)}" of this caller. haft log --runs lists them.`);
