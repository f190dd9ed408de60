import * as Effect from "effect/Effect";
import { definitionHash } from "../../tool/definition-hash.ts";
import type { AuthorizedCall } from "../../words/call.ts";
import type { Handler, ToolLayer } from "../../words/layer.ts";
import { failed, type Outcome } from "../../words/outcome.ts";
import { findMiss } from "./find-miss.ts";
import type { CassetteCall, ReadOptions } from "./options.ts";
import type { ReadTape } from "./read-tape.ts";
import type { Drift, Miss, Place } from "./report.ts";
import { TapeEntries } from "./tape-entries.ts";
import { toOutcome } from "./taped-outcome.ts";
import { toCall } from "./to-call.ts";

/** Answers every call from the tape. What is behind it never runs. */
export class Player {
  readonly missed: Miss[] = [];
  answered = 0;
  readonly #path: string;
  readonly #tape: ReadTape;
  readonly #options: ReadOptions;
  readonly #reel: TapeEntries;
  readonly #drifted = new Map<string, Drift>();

  constructor(path: string, tape: ReadTape, options: ReadOptions) {
    this.#path = path;
    this.#tape = tape;
    this.#options = options;
    this.#reel = new TapeEntries(tape, options);
  }

  get entries(): number {
    return this.#tape.entries.length;
  }

  get unused(): readonly Place[] {
    return this.#tape.entries.flatMap((_, index) => (this.#reel.isUsed(index) ? [] : [this.#placeOf(index)]));
  }

  get drifted(): readonly Drift[] {
    return [...this.#drifted.values()];
  }

  readonly layer: ToolLayer =
    (_next: Handler): Handler =>
    (call) =>
      Effect.sync(() => this.#answer(call));

  #answer(call: AuthorizedCall): Outcome {
    const found = this.#find(toCall(call, this.#options));
    if (typeof found !== "number") {
      this.missed.push(found);
      call.recorder.note("cassette: not on the tape");
      return this.#failed(found);
    }
    const entry = this.#tape.entries[found]!;
    this.answered += 1;
    call.recorder.note(`cassette: answered by entry ${found + 1} of the tape`);
    const now = definitionHash(call.spec);
    if (now !== entry.definition)
      this.#drifted.set(entry.tool, { tool: entry.tool, recorded: entry.definition, now });
    return toOutcome(entry.outcome);
  }

  #find(call: CassetteCall): number | Miss {
    try {
      const taken = this.#reel.take(call);
      if (taken !== undefined) return taken;
      const placeOf = (index: number): Place => this.#placeOf(index);
      return findMiss({ call, entries: this.#reel, options: this.#options, placeOf });
    } catch (error) {
      const said = this.#options.redactor.value(error instanceof Error ? error.message : String(error));
      const why = `the match function threw: ${said}`;
      return { tool: call.tool, callId: call.callId, arguments: "[not compared]", why };
    }
  }

  #failed({ tool, why, nearest }: Miss): Outcome {
    const message = `The cassette ${this.#path} has no answer for this call of "${tool}": ${why}.`;
    const detail = nearest === undefined || nearest.diff === "" ? {} : { detail: nearest.diff };
    return failed({ code: "failed", tool, message, retryable: false, ran: false, ...detail });
  }

  #placeOf(index: number): Place {
    const { tool } = this.#tape.entries[index]!;
    return { tool, pointer: `/entries/${index}`, line: this.#tape.lines[index] ?? 1 };
  }
}
