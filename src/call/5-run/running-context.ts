import type { Redactor } from "../../json/redact.ts";
import type { AuthorizedCall, CallContext, Trip } from "../../words/call.ts";
import type { EventBus } from "../../words/event.ts";
import type { Principal } from "../../words/principal.ts";

/** A tool that tells too much is not heard to the end. */
const mostNotes = 50;
const longestNote = 500;

/** One attempt's context. Each attempt has a signal of its own, made only when the tool looks at it. */
export class RunningContext implements CallContext {
  readonly #call: AuthorizedCall;
  readonly #events: EventBus;
  readonly #redactor: Redactor;
  #controller: AbortController | undefined;
  #stopped = false;
  #ended = false;

  constructor(call: AuthorizedCall, events: EventBus, redactor: Redactor) {
    this.#call = call;
    this.#events = events;
    this.#redactor = redactor;
  }

  get callId(): string {
    return this.#call.trip.raw.id;
  }

  get tool(): string {
    return this.#call.registration.key;
  }

  get principal(): Principal {
    return this.#call.principal;
  }

  get idempotencyKey(): string {
    return this.#call.trip.key ?? this.#call.trip.entryId;
  }

  get env(): unknown {
    return this.#call.env;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  get progress(): (update: unknown) => void {
    return (update) => {
      if (this.#ended || !this.#events.isHeard("tools.progress")) return;
      const { trip } = this.#call;
      this.#events.emit("tools.progress", {
        toolName: this.tool,
        callId: trip.raw.id,
        entryId: trip.entryId,
        runId: trip.scope.id,
        agentId: this.principal.agent,
        sessionId: this.principal.session,
        update: this.#redactor.value(update),
      });
    };
  }

  get note(): (text: string) => void {
    return (text) => {
      const { notes } = this.#call.trip;
      if (!this.#ended && notes.length < mostNotes)
        notes.push(this.#redactor.text(String(text)).slice(0, longestNote));
    };
  }

  get cost(): (amount: number) => void {
    return (amount) => {
      const { trip } = this.#call;
      // What is no amount would make the whole run's cost none.
      if (!this.#ended && Number.isFinite(amount) && amount >= 0) trip.cost = (trip.cost ?? 0) + amount;
    };
  }

  /** The call that a context was given to; none for a context that is not ours. */
  static tripOf(context: CallContext): Trip | undefined {
    return #call in context ? context.#call.trip : undefined;
  }

  /** Nothing more is heard of it; its signal stays as it is. */
  end(): void {
    this.#ended = true;
  }

  stop(): void {
    this.#ended = true;
    this.#stopped = true;
    this.#controller?.abort();
  }
}

export const tripOf = (context: CallContext): Trip | undefined => RunningContext.tripOf(context);
