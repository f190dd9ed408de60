import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { runningCallOf } from "../../pipeline/pipeline.ts";
import { type StepOptions, Tools } from "../../pipeline/tools-service.ts";
import { Policy } from "../../policy/engine.ts";
import { Registry } from "../../registry/tool-registry.ts";
import type { ApproverService } from "../../types/approval.ts";
import { type CallContext, journaledCallId } from "../../types/call.ts";
import { SandboxError, ToolExecutionError } from "../../types/errors.ts";
import { failed, type Outcome } from "../../types/outcome.ts";
import type { Reply } from "../../types/reply.ts";
import { defaultLimits, type Language, type ProgramCall, type SandboxLimits } from "../sandbox.ts";
import { Sandboxes } from "../sandboxes.ts";
import { pausableDeadline } from "./pausable-deadline.ts";
import { ProgramCalls } from "./program-calls.ts";
import {
  maxJournalLength,
  type ProgramJournal,
  readProgramJournal,
  writeProgramJournal,
} from "./program-journal.ts";
import { programTools } from "./program-tools.ts";
import { toDeclarations } from "./to-declarations.ts";
import { toProgramOutcome } from "./to-program-outcome.ts";

/** What a caller of `run-code` sends. */
export interface CodeInput {
  readonly source: string;
  readonly language?: Language;
  readonly tools?: readonly string[];
  readonly limits?: Partial<SandboxLimits>;
}

/** What the operator lets programs do. */
export interface CodeSettings {
  readonly tools?: readonly string[];
  readonly limits?: Partial<SandboxLimits>;
}

/** The services that code mode stands on; a runtime has them. */
export type CodeServices = Tools | Registry | Policy | Sandboxes;

/** In a program: the declarations of what it can call, for a model that has not been told of them. */
const declarationsFunction = "declarations";

/**
 * Runs a program whose calls of tools go down the corridor, each as a part of the call of `run-code`. When all that it waits
 * for are persons, it is stopped with its journal and started again once one of them has answered.
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
    const aroundDesk = ({ ask }: ApproverService): ApproverService => ({
      ask: (request) => Effect.suspend(() => Effect.ensuring(ask(request), Effect.sync(deadline.pause()))),
    });
    const step: StepOptions = { scope, layers, shown, parent: context, aroundDesk };
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
      const message = `The program waits for a person's approval of a call that it makes.`;
      return failed({ code: "approval_required", tool: context.tool, message, approval: waitsFor[0]! });
    };

    const program = (yield* Sandboxes).run(
      {
        language: input.language ?? "typescript",
        source: input.source,
        functions: [...new Set([...functions.keys(), declarationsFunction])],
        answer: calls.answer,
        onIdle: calls.idle,
        // Until there is an engine for it, it is not the program that takes long.
        onStart: () => deadline.start(),
        now,
        seed: entryId,
        // How many calls run at once, and how long all of it may take, is seen to here.
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

/** A program that waits for a person has its time when that one has answered; the call of `run-code` ends at its own time. */
const maxTimerMs = 2 ** 31 - 1;

/** A call that the program did not wait for is not cut off: it has its time like any other, and its turn. */
const awaitAll = (fibers: ReadonlySet<Fiber.Fiber<unknown>>): Effect.Effect<void> =>
  Effect.suspend(() =>
    fibers.size === 0 ? Effect.void : Effect.andThen(Fiber.awaitAll([...fibers]), awaitAll(fibers)),
  );

/** Whoever calls may ask for less than the operator allows, and never for more. */
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
    message: `The program cannot go on from where it was stopped: ${why}.`,
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
    message: `The program made calls whose arguments have more than ${callsAtOnce * callBytes} bytes together before they were answered. Await some before others are made.`,
  });

const journalTooLongFailure = (tool: string): Outcome =>
  failed({
    code: "sandbox_failed",
    tool,
    ran: true,
    message:
      "The program was given too much to be stopped while a call waits for a person. Ask for less at once.",
  });

const outsideCallError = (): SandboxError =>
  new SandboxError("sandbox_failed", "A program that calls tools is run by a call of a runtime.");
