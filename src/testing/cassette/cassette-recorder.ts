import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { definitionHash } from "../../tools/tool-definition.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import {
  type CassetteEntry,
  CassetteError,
  type CassetteFile,
  type RecordedOutcome,
} from "./cassette-file.ts";
import type { ParsedCassetteOptions } from "./cassette-options.ts";
import { withoutIgnored } from "./ignored-arguments.ts";
import { recordedFailure, recordOutcome, toCassetteCall, withRecordedTaints } from "./recorded-outcome.ts";

type EntryDraft = { -readonly [Field in keyof CassetteEntry]?: CassetteEntry[Field] } & {
  readonly tool: string;
};

/** Records in the order in which the calls started. */
export class CassetteRecorder {
  readonly #options: ParsedCassetteOptions;
  readonly #drafts: EntryDraft[] = [];
  readonly #running = new Set<string>();
  #groupNumber = 0;
  #isSameTick = false;

  constructor(options: ParsedCassetteOptions) {
    this.#options = options;
  }

  get entries(): number {
    return this.#drafts.length;
  }

  readonly layer: ToolLayer =
    (next: Handler): Handler =>
    (call) =>
      Effect.withFiber((fiber) => {
        const { entryId, parentId } = call.request;
        // The call has passed this layer at another scope.
        if (this.#running.has(entryId)) return next(call);
        const answered = Effect.suspend(() => next(call));
        // A nested call, which a replay does not make.
        if (parentId !== undefined && this.#running.has(parentId)) {
          this.#running.add(entryId);
          return Effect.ensuring(answered, this.#finishCall(entryId));
        }
        const clock = fiber.getRef(Clock.Clock);
        const since = clock.monotonicTimeNanosUnsafe();
        const draft = this.#startDraft(call);
        return Effect.onExit(answered, (exit) =>
          Effect.sync(() => {
            // Taints remain even if a layer replaced the result.
            draft.outcome = withRecordedTaints(this.#recordOutcome(exit, draft.tool), call.recorder.taints);
            draft.durationMs = Math.round(Number(clock.monotonicTimeNanosUnsafe() - since) / 1e6);
            this.#running.delete(entryId);
          }),
        );
      });

  tape(): CassetteFile {
    const late = this.#drafts.filter(({ outcome }) => outcome === undefined).map(({ tool }) => `"${tool}"`);
    if (late.length > 0) {
      throw new CassetteError(
        `The cassette cannot be saved while a call is running: ${late.join(", ")}. Close the runtime first.`,
      );
    }
    return { ignore: this.#options.ignore, entries: this.#drafts as readonly CassetteEntry[] };
  }

  #finishCall(entryId: string): Effect.Effect<void> {
    return Effect.sync(() => this.#running.delete(entryId));
  }

  #startDraft(call: AuthorizedCall): EntryDraft {
    const { steps, redactor } = this.#options;
    const { tool, arguments: given, argumentsHash } = toCassetteCall(call, this.#options);
    const draft: EntryDraft = {
      tool,
      arguments: redactor.value(withoutIgnored(given, steps, "[ignored]")),
      argumentsHash,
      definition: definitionHash(call.spec),
      group: this.#currentGroup(),
    };
    this.#drafts.push(draft);
    this.#running.add(call.request.entryId);
    return draft;
  }

  /**
   * A turn starts all its calls in one tick, so a call that ends before the next one starts is in the same
   * group.
   */
  #currentGroup(): number {
    if (this.#running.size === 0 && !this.#isSameTick) this.#groupNumber += 1;
    if (!this.#isSameTick) {
      this.#isSameTick = true;
      queueMicrotask(() => {
        this.#isSameTick = false;
      });
    }
    return this.#groupNumber;
  }

  #recordOutcome(exit: Exit.Exit<Outcome>, tool: string): RecordedOutcome {
    const { redactor } = this.#options;
    if (Exit.isSuccess(exit)) return recordOutcome(exit.value, tool, redactor);
    const failure = exit.cause.reasons.some(Cause.isDieReason)
      ? ({ code: "layer_broke", message: `A layer around "${tool}" failed.` } as const)
      : ({ code: "cancelled", message: `The call of "${tool}" was cancelled.` } as const);
    return recordedFailure({ ...failure, tool, ran: true }, redactor);
  }
}
