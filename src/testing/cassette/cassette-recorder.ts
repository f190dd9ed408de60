import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { definitionHash } from "../../tool/definition-hash.ts";
import type { AuthorizedCall } from "../../words/call.ts";
import type { Handler, ToolLayer } from "../../words/layer.ts";
import type { Outcome } from "../../words/outcome.ts";
import { CassetteError } from "./cassette-error.ts";
import { withoutIgnored } from "./ignored.ts";
import type { ReadOptions } from "./options.ts";
import type { Tape, TapedOutcome, TapeEntry } from "./tape.ts";
import { tapedFailure, toTaped, withTapedTaints } from "./taped-outcome.ts";
import { toCall } from "./to-call.ts";

type TapeDraft = { -readonly [Field in keyof TapeEntry]?: TapeEntry[Field] } & { readonly tool: string };

/** Lets every call through and keeps what came of it, in the order in which the calls began. */
export class Recorder {
  readonly #options: ReadOptions;
  readonly #drafts: TapeDraft[] = [];
  /** Entry ids of the calls under way. */
  readonly #running = new Set<string>();
  #group = 0;
  #isSameTick = false;

  constructor(options: ReadOptions) {
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
        // Seen already at another scope.
        if (this.#running.has(entryId)) return next(call);
        const answered = Effect.suspend(() => next(call));
        // Made by a tool that will not run when it is replayed.
        if (parentId !== undefined && this.#running.has(parentId)) {
          this.#running.add(entryId);
          return Effect.ensuring(answered, this.#leave(entryId));
        }
        const clock = fiber.getRef(Clock.Clock);
        const since = clock.monotonicTimeNanosUnsafe();
        const draft = this.#begin(call);
        return Effect.onExit(answered, (exit) =>
          Effect.sync(() => {
            // What its code has read is in it, even where a layer answered in its place.
            draft.outcome = withTapedTaints(this.#toTaped(exit, draft.tool), call.recorder.taints);
            draft.durationMs = Math.round(Number(clock.monotonicTimeNanosUnsafe() - since) / 1e6);
            this.#running.delete(entryId);
          }),
        );
      });

  tape(): Tape {
    const late = this.#drafts.filter(({ outcome }) => outcome === undefined).map(({ tool }) => `"${tool}"`);
    if (late.length > 0) {
      throw new CassetteError(
        `The cassette cannot be saved while a call is under way: ${late.join(", ")}. Close the runtime first.`,
      );
    }
    return { ignore: this.#options.ignore, entries: this.#drafts as readonly TapeEntry[] };
  }

  #leave(entryId: string): Effect.Effect<void> {
    return Effect.sync(() => this.#running.delete(entryId));
  }

  #begin(call: AuthorizedCall): TapeDraft {
    const { steps, redactor } = this.#options;
    const { tool, arguments: given, argumentsHash } = toCall(call, this.#options);
    const draft: TapeDraft = {
      tool,
      arguments: redactor.value(withoutIgnored(given, steps, "[ignored]")),
      argumentsHash,
      definition: definitionHash(call.spec),
      group: this.#groupNow(),
    };
    this.#drafts.push(draft);
    this.#running.add(call.request.entryId);
    return draft;
  }

  /** A turn starts all its calls in one go, so one that is over before the next begins belongs to it all the same. */
  #groupNow(): number {
    if (this.#running.size === 0 && !this.#isSameTick) this.#group += 1;
    if (!this.#isSameTick) {
      this.#isSameTick = true;
      queueMicrotask(() => {
        this.#isSameTick = false;
      });
    }
    return this.#group;
  }

  #toTaped(exit: Exit.Exit<Outcome>, tool: string): TapedOutcome {
    const { redactor } = this.#options;
    if (Exit.isSuccess(exit)) return toTaped(exit.value, tool, redactor);
    const failure = exit.cause.reasons.some(Cause.isDieReason)
      ? ({ code: "layer_broke", message: `A layer around "${tool}" broke.` } as const)
      : ({ code: "cancelled", message: `The call of "${tool}" was cancelled.` } as const);
    return tapedFailure({ ...failure, tool, ran: true }, redactor);
  }
}
