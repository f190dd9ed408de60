import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { tailOf } from "../../base/text/cut-text.ts";
import { runningCallOf } from "../../pipeline/pipeline.ts";
import { type StepOptions, Tools } from "../../pipeline/tools-service.ts";
import { Policy } from "../../policy/engine.ts";
import { Registry } from "../../registry/tool-registry.ts";
import type { ApproverService } from "../../types/approval.ts";
import { type CallContext, journaledCallId } from "../../types/call.ts";
import { SandboxError, ToolExecutionError } from "../../types/errors.ts";
import { failed, type Outcome, type Reply, succeeded } from "../../types/outcome.ts";
import {
  defaultLimits,
  type Language,
  type ProgramCall,
  type ProgramEnding,
  type ProgramResult,
  type SandboxLimits,
  toLine,
} from "../sandbox.ts";
import { Sandboxes } from "../sandboxes.ts";
import {
  maxJournalLength,
  ProgramCalls,
  type ProgramJournal,
  pausableDeadline,
  readProgramJournal,
  writeProgramJournal,
} from "./program-calls.ts";
import { programTools } from "./program-tools.ts";
import { toDeclarations } from "./to-declarations.ts";

/** Input of `run-code`. */
export interface CodeInput {
  readonly source: string;
  readonly language?: Language;
  readonly tools?: readonly string[];
  readonly limits?: Partial<SandboxLimits>;
}

/** Restrictions by the operator. */
export interface CodeSettings {
  readonly tools?: readonly string[];
  readonly limits?: Partial<SandboxLimits>;
}

/** Services that code mode requires. A runtime provides them. */
export type CodeServices = Tools | Registry | Policy | Sandboxes;

/** Returns the declarations of the program's tools. */
const declarationsFunction = "declarations";

/**
 * Tool calls use the call pipeline as children of the `run-code` call. When all of them are pending approval,
 * the program stops with its journal and restarts after a decision.
 */
export const runProgramWithTools = (
  settings: CodeSettings,
  input: CodeInput,
  context: CallContext,
): Effect.Effect<Outcome, SandboxError | ToolExecutionError, CodeServices> =>
  Effect.gen(function* () {
    const running = runningCallOf(context);
    if (running === undefined) return yield* Effect.fail(outsideCallError());
    const tools = yield* Tools;
    const catalog = { registry: yield* Registry, policy: yield* Policy };
    const { functions, shown } = yield* Effect.try({
      try: () => programTools(catalog, running, settings.tools, input.tools),
      catch: (error) =>
        new ToolExecutionError("failed", `\`tools\` cannot be used: ${(error as Error).message}`, {
          tool: context.tool,
          ran: false,
          retryable: false,
        }),
    });
    const earlier =
      running.journal?.earlier === undefined ? undefined : readProgramJournal(running.journal.earlier);
    const now = earlier?.now ?? (yield* Clock.currentTimeMillis);
    const limits = stricterLimits(settings.limits, input.limits);
    const { entryId, scope, layers } = running.request;
    const ended = yield* Deferred.make<Outcome>();
    const end = (outcome: Outcome) => Deferred.doneUnsafe(ended, Effect.succeed(outcome));
    const deadline = yield* pausableDeadline(limits.wallMs, () =>
      end(timeoutFailure(context.tool, limits.wallMs)),
    );
    const withApprover = ({ ask }: ApproverService): ApproverService => ({
      ask: (request) => Effect.suspend(() => Effect.ensuring(ask(request), Effect.sync(deadline.pause()))),
    });
    const step: StepOptions = { scope, layers, shown, parent: context, withApprover };
    const fork = Effect.runForkWith(yield* Effect.context<never>());
    const fibers = new Set<Fiber.Fiber<unknown>>();

    const make = (call: ProgramCall, waited: boolean, onReply: (reply: Reply) => void): void => {
      const registration = functions.get(call.name);
      if (registration === undefined) {
        onReply(declarationsReply(call, toDeclarations(functions)));
        return;
      }
      const raw = {
        id: journaledCallId(entryId, call.number),
        tool: registration.wireName,
        input: call.input,
      };
      const made = waited ? tools.recover([raw], step) : tools.step([raw], step);
      const fiber = fork(made);
      fibers.add(fiber);
      fiber.addObserver((exit) => {
        fibers.delete(fiber);
        if (exit._tag !== "Success") return;
        const [reply] = exit.value;
        running.addTaints(reply?.taints ?? []);
        if (reply !== undefined) onReply(reply);
      });
    };
    const calls = new ProgramCalls(
      {
        make,
        canWait: running.journal !== undefined,
        atOnce: limits.callsAtOnce,
        mostWaiting: limits.callsAtOnce * limits.callBytes,
        onStuck: () => end(suspend()),
        onMismatch: (why) => end(changedFailure(context.tool, why)),
        onFlood: () => end(floodFailure(context.tool, limits)),
      },
      earlier,
    );
    const suspend = (): Outcome => {
      const journal = writeProgramJournal({ now, ...calls.journal } satisfies ProgramJournal);
      const waitsFor = calls.waitsFor;
      if (journal.length > maxJournalLength) return journalTooLongFailure(context.tool);
      running.journal?.keep({ journal, waitsFor });
      const message = `The program is pending approval of one of its calls.`;
      return failed({ code: "approval_required", tool: context.tool, message, approval: waitsFor[0]! });
    };

    const program = (yield* Sandboxes).run(
      {
        language: input.language ?? "typescript",
        source: input.source,
        functions: [...new Set([...functions.keys(), declarationsFunction])],
        answer: calls.answer,
        onIdle: calls.idle,
        // Waiting for an engine does not count.
        onStart: () => deadline.start(),
        now,
        seed: entryId,
        // Concurrency and run time are limited here.
        limits: { ...limits, callsAtOnce: limits.calls, wallMs: maxTimerMs },
      },
      "quickjs",
    );
    const finished = Effect.flatMap(program, (result) =>
      Effect.as(awaitAll(fibers), toProgramOutcome(context.tool, result, calls.count)),
    );
    return yield* Effect.ensuring(
      Effect.raceFirst(finished, Deferred.await(ended)),
      Effect.suspend(() => {
        deadline.cancel();
        calls.end();
        return Fiber.interruptAll([...fibers]);
      }),
    );
  });

/** Longest timer. The deadline and the tool timeout limit the program. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls that the program did not await run to their end. */
const awaitAll = (fibers: ReadonlySet<Fiber.Fiber<unknown>>): Effect.Effect<void> =>
  Effect.suspend(() =>
    fibers.size === 0 ? Effect.void : Effect.andThen(Fiber.awaitAll([...fibers]), awaitAll(fibers)),
  );

/** A caller can only reduce the operator's limits. */
const stricterLimits = (
  operators: Partial<SandboxLimits> | undefined,
  callers: Partial<SandboxLimits> | undefined,
): SandboxLimits => {
  const allowed = { ...defaultLimits, ...operators };
  const least = (name: keyof SandboxLimits): number =>
    Math.min(allowed[name], callers?.[name] ?? allowed[name]);
  return Object.fromEntries(
    (Object.keys(allowed) as (keyof SandboxLimits)[]).map((name) => [name, least(name)]),
  ) as unknown as SandboxLimits;
};

const declarationsReply = ({ number, name }: ProgramCall, text: string): Reply => ({
  id: String(number),
  tool: name,
  ok: true,
  text: JSON.stringify(text),
  flow: { kind: "continue" },
});

const changedFailure = (tool: string, why: string): Outcome =>
  failed({
    code: "sandbox_failed",
    tool,
    ran: true,
    message: `The suspended program cannot be resumed: ${why}.`,
  });

const timeoutFailure = (tool: string, millis: number): Outcome =>
  failed({
    code: "timed_out",
    tool,
    ran: true,
    message: `The program took longer than ${millis} ms.`,
    timeoutMs: millis,
  });

const floodFailure = (tool: string, { callsAtOnce, callBytes }: SandboxLimits): Outcome =>
  failed({
    code: "sandbox_failed",
    tool,
    ran: true,
    message: `The arguments of the program's unfinished calls exceed ${callsAtOnce * callBytes} bytes in total. Await some calls before making more.`,
  });

const journalTooLongFailure = (tool: string): Outcome =>
  failed({
    code: "sandbox_failed",
    tool,
    ran: true,
    message:
      "The program received too much data to be suspended until an approval. Make calls that return less data.",
  });

const outsideCallError = (): SandboxError =>
  new SandboxError(
    "sandbox_failed",
    "A program can call tools only when it runs in a tool call of a Haft runtime.",
  );

/** Errors include the last characters. */
const maxPrintedLength = 2_000;

const toProgramOutcome = (tool: string, { ending, logs, logsCut }: ProgramResult, calls: number): Outcome => {
  if (ending.kind === "value") {
    const printed = logs.map(toLine);
    return succeeded({ value: ending.value, logs: logsCut ? [...printed, "…[cut]"] : printed, calls });
  }
  const printed = tailOf(logs.map(toLine).join("\n"), maxPrintedLength);
  const message = `${endingMessage(ending)}${printed === "" ? "" : `\nOutput of the program:\n${printed}`}`;
  return failed({ code: codeOf(ending), tool, ran: true, message });
};

type BadEnding = Exclude<ProgramEnding, { readonly kind: "value" }>;

const codeOf = (ending: BadEnding) => {
  if (ending.kind === "error") return "failed" as const;
  return ending.kind === "stopped" && ending.limit === "time"
    ? ("timed_out" as const)
    : ("sandbox_failed" as const);
};

const endingMessage = (ending: BadEnding): string => {
  if (ending.kind !== "error") return ending.message;
  const { name, message, line, column } = ending;
  const place =
    line === undefined ? "" : ` (line ${line}${column === undefined ? "" : `, column ${column}`})`;
  return `The program threw ${name}: ${message}${place}`;
};
