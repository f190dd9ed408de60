import {
  type AgentWithLibrary,
  collectAgentTools,
  reachableAgents,
} from "../../agent/collect-agent-tools.ts";
import { isResumable } from "../../ledger/held-run-leases.ts";
import { ledgerFlag } from "../../pipeline/ledger-flag.ts";
import type { BindMode } from "../../registry/library/library-entry.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import { definitionHash } from "../../tools/tool-definition.ts";
import type { Agent } from "../../types/agent.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import { isSameCaller, resolveActingPrincipal } from "../../types/principal.ts";
import type { RunRecord } from "../../types/run-store.ts";
import { isUnsettled, settleInstructions } from "../../types/settlement.ts";
import type { Registration } from "../../types/tool.ts";
import { agentOptions, toRunOptions } from "../agent-options.ts";
import { approvalLayouts, listApprovalRecords } from "../approvals/list-approvals.ts";
import { CommandUsageError, command, exitCodes, jsonLines, type Terminal } from "../command.ts";
import { renderTable } from "../fit-table.ts";
import { findRunId, throwNoRun } from "../ledger/find-run.ts";
import { ledgerKeyNote, needsLedgerKey } from "../ledger/known-ledgers.ts";
import { sessionLabel } from "../ledger/short-id.ts";
import { queryLedger, withRuntimeLedger } from "../ledger/with-ledger.ts";
import { loadAgent } from "../load-agent.ts";
import {
  type OpenedRuntime,
  openRuntimeWith,
  type RuntimeFlags,
  resolveRuntimeOptions,
} from "../open-runtime.ts";
import { printPendingCall, printReply } from "../print-reply.ts";
import { exitCodeByStatus, printPendingHint, runAgentOnce } from "../run-once.ts";
import { plainText, toJsonLine } from "../screen.ts";

/** The runtime permanently voids an answer if its tool has changed. A wrong flag must not cause that. */
const requireUnchangedTools = (
  answered: readonly ApprovalRecord[],
  haft: Haft,
  asked?: AgentWithLibrary,
): void => {
  if (answered.length === 0) return;
  const { registry, policy } = sharedRuntimes.get(haft)!;
  const caller = haft.principal;
  const agentToolMap = asked === undefined ? undefined : collectAgentTools(registry, asked);
  const problems = answered.flatMap((record) => {
    const principal = caller === undefined ? undefined : resolveActingPrincipal(record.principal, caller);
    if (principal === undefined) return [];
    const found = findApprovedTool(record, registry, agentToolMap);
    const isHidden = found !== undefined && policy.visible(principal, found).effect === "deny";
    const why = isHidden ? "this caller may not use it" : toolDifference(record, found);
    return why === undefined ? [] : [`${plainText(record.tool)}: ${why}`];
  });
  if (problems.length === 0) return;
  throw new Error(
    `Nothing was done, and every answer remains valid. These answered calls cannot run here:\n  ${problems.join("\n  ")}\n` +
      "Use the same tools, library and rights as before. --force resumes anyway and does not run these calls.",
  );
};

const findApprovedTool = (
  { rawTool }: ApprovalRecord,
  registry: ToolRegistry,
  shown: ReadonlyMap<string, Registration> | undefined,
): Registration | undefined => {
  const own = shown?.get(rawTool);
  if (own?.origin === "agent") return own;
  const found = registry.get(rawTool);
  if (shown === undefined || found === undefined) return found;
  return shown.get(found.wireName) === found ? found : undefined;
};

const toolDifference = (record: ApprovalRecord, found: Registration | undefined): string | undefined => {
  if (found === undefined) return "the tool does not exist";
  if (found.key !== record.tool) return `${plainText(found.key)} now has its name`;
  if (definitionHash(found.tool.spec) !== record.definition) return "its definition has changed";
  return undefined;
};

export const resume = command({
  operands: "RUN [AGENT]",
  options: {
    ...agentOptions,
    json: jsonLines("the response, or each pending or resumed call"),
    force: {
      type: "boolean",
      about: "resume even if a tool changed since its approval; that call does not run",
    },
  },
  examples: [
    { line: "haft resume run-4f3a9c0d1e2b3f44-1 shop.ts", about: "with the agent of the run" },
    { line: "haft runs", about: "pending and interrupted runs" },
    {
      line: "haft resume run-4f3a9c0d1e2b3f44-1 --tools shop.ts",
      about: "an approved call of haft call",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [typed, file, ...more] = operands;
    if (typed === undefined || more.length > 0) {
      throw new CommandUsageError(
        "haft resume requires a run and the file of its agent. haft runs lists runs.",
      );
    }
    const found: UnfinishedRunState = await withRuntimeLedger(options, terminal, (ledger) =>
      readUnfinishedRun(ledger, typed, terminal.now()),
    );
    if (found.waiting.length > 0) {
      const table = renderTable(approvalLayouts(terminal.now), found.waiting, terminal);
      if (options.json === true) for (const each of found.waiting) terminal.out(toJsonLine(each));
      else terminal.error(`${found.runId} still has pending approval requests:\n${table}`);
      return exitCodes.pending;
    }
    if (found.run === undefined) return resumeCalls(found, options, terminal);
    if (file === undefined) {
      throw new CommandUsageError(
        `${found.runId} is a run of the agent "${plainText(found.run.agent)}": pass its file too.`,
      );
    }
    const loaded = await loadAgent(file, options, terminal);
    requireSameAgent(found.run, loaded.agent, file);
    const common = toRunOptions(options, loaded, terminal);
    const opening = await resolveRuntimeOptions({ ...options, model: undefined }, terminal, {
      agent: loaded.agent.name,
      caller: found.run.principal,
      ledger: "default",
    });
    if (!isSameCaller(found.run.principal, opening.principal)) throw noRunOfCallerError(typed);
    const mode = (options.bind ?? "compatible") as BindMode;
    await using opened = await openRuntimeWith(opening);
    if (options.force !== true) requireUnchangedTools(found.answered, opened.haft, { ...loaded, mode });
    const asked = { haft: opened.haft, agent: loaded.agent };
    const response = await runAgentOnce(
      asked,
      undefined,
      { ...common, resume: found.runId },
      options,
      terminal,
    );
    if (options.json === true) terminal.out(toJsonLine(response));
    else printPendingHint(response, { file, ledger: opened.ledger }, options, terminal);
    return terminal.signal.aborted ? exitCodes.cancelled : exitCodeByStatus[response.status];
  },
});

/** A run may have been handed off, so every reachable agent matches. */
const requireSameAgent = ({ runId, agent: name }: RunRecord, agent: Agent, file: string): void => {
  if ([...reachableAgents(agent)].some((each) => each.name === name)) return;
  throw new CommandUsageError(
    `${runId} is a run of the agent "${plainText(name)}"; ${file} has "${plainText(agent.name)}".`,
  );
};

const noRunOfCallerError = (typed: string): Error =>
  new Error(`There is no run "${plainText(typed)}" of this caller. haft runs lists them.`);

interface ResumeCallsFlags extends RuntimeFlags {
  readonly json?: boolean;
  readonly force?: boolean;
}

const resumeCalls = async (
  { runId, answered, settling }: UnfinishedRunState,
  flags: ResumeCallsFlags,
  terminal: Terminal,
): Promise<number> => {
  if (answered.length === 0) {
    throw new Error([`${runId} has no calls left to resume.`, ...settling].join("\n"));
  }
  const caller = answered[0]?.principal;
  const opening = await resolveRuntimeOptions(flags, terminal, { caller, ledger: "default" });
  await using opened = await openRuntimeWith(opening);
  if (flags.force !== true) requireUnchangedTools(answered, opened.haft);
  let code: number = exitCodes.done;
  for (const [index, { id }] of answered.entries()) {
    // Resuming one call of a program also makes its other answered calls.
    if (index > 0 && !(await isAnswered(opened.haft, runId, id))) continue;
    const reply = await opened.haft.resume(id);
    if (flags.json === true) terminal.out(toJsonLine(reply));
    else if (reply.pending !== undefined) printPendingCall(reply.pending, flags, terminal);
    else printReply(reply, terminal);
    if (!reply.ok) code = reply.pending === undefined ? exitCodes.failed : exitCodes.pending;
  }
  return code;
};

const isAnswered = async (haft: OpenedRuntime["haft"], runId: string, id: string): Promise<boolean> =>
  (await haft.approvals({ runId, status: "answered" })).some((one) => one.id === id);

interface UnfinishedRunState {
  readonly runId: string;
  readonly run: RunRecord | undefined;
  readonly waiting: readonly ApprovalRecord[];
  readonly answered: readonly ApprovalRecord[];
  /** How to settle each call whose effect is unknown. */
  readonly settling: readonly string[];
}

const readUnfinishedRun = async (
  ledger: DurableLedger,
  typed: string,
  now: number,
): Promise<UnfinishedRunState> => {
  const runId = (await findRunId(ledger, typed)) ?? throwNoRun(ledger, typed);
  const run = await queryLedger(ledger.runs.find(runId));
  if (run?.status === "done") throw new Error(`${runId} is done, so it cannot be resumed.`);
  rejectSessionRun(run ?? { runId, principal: undefined, status: "pending" });
  if (run !== undefined && run.messages.length === 0) throw messagesNotStoredError(ledger, run);
  const waiting = await listApprovalRecords(ledger, { status: "waiting", runId }, now);
  const answered = await listApprovalRecords(ledger, { status: "answered", runId }, now);
  const entries = await queryLedger(ledger.entries({ runId }));
  const settling = entries
    .filter(isUnsettled)
    .map(
      ({ entryId, tool }) =>
        `It is unknown whether the call ${entryId} of ${plainText(tool)} took effect. ${settleInstructions(entryId, ledgerFlag(ledger.place))}`,
    );
  return { runId, run, waiting, answered, settling };
};

const rejectSessionRun = (run: Pick<RunRecord, "runId" | "principal" | "status">): void => {
  const session = sessionLabel(run);
  if (session === undefined || !isResumable(run.status)) return;
  throw new CommandUsageError(
    `${run.runId} is the ${session}: only the process that drives it can resume it. Answer its requests with haft approve and haft deny; ` +
      "end it with haft runs give-up.",
  );
};

const messagesNotStoredError = ({ place }: DurableLedger, { runId, status, reason }: RunRecord): Error => {
  const why = reason === undefined ? "" : ` (${plainText(reason)})`;
  const over = status === "cancelled" || status === "stopped" ? `${runId} was ${status}${why}. ` : "";
  const key = over === "" && needsLedgerKey(place) ? ` ${ledgerKeyNote}` : "";
  return new Error(
    `${over}The conversation${over === "" ? ` of ${runId}` : ""} is not stored, so the run cannot be resumed.${key}`,
  );
};
