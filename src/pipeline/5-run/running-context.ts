import { hashJson } from "../../json/hash.ts";
import type { Redactor } from "../../json/redact.ts";
import { taintOf } from "../../policy/taint.ts";
import type { CallContext, RunningCall } from "../../words/call.ts";
import type { EventBus } from "../../words/event.ts";
import { type Principal, partyOf } from "../../words/principal.ts";
import type { GrantedCall } from "../call-state.ts";
import { runInside } from "../current-call.ts";
import { addCost } from "../recorder.ts";

interface Services {
  readonly events: EventBus;
  readonly redactor: Redactor;
}

/** Two callers may choose the same key; a service behind the tool must not take the one for the other. */
const keyOf = (principal: Principal, key: string): string => {
  const { agent, user, tenant } = partyOf(principal);
  return hashJson([tenant ?? null, user ?? null, agent, key]);
};

/** The tool's own words and those its code has read are in whatever it says, wherever a layer keeps it. */
export const taintsOf = ({ registration, recorder }: GrantedCall): readonly string[] => {
  const own = taintOf(registration);
  return own === undefined ? recorder.taints : [own, ...recorder.taints];
};

/** The call that a context was given to; none for a context that is not ours. */
export let callOf: (context: CallContext) => RunningCall | undefined;

/** One attempt's context. Each attempt has a signal of its own, made only when the tool looks at it. */
export class RunningContext implements CallContext {
  readonly #call: GrantedCall;
  readonly #running: RunningCall;
  readonly #env: unknown;
  readonly #events: EventBus;
  readonly #redactor: Redactor;
  #controller: AbortController | undefined;
  #stopped = false;
  #isOver = false;

  constructor(call: GrantedCall, running: RunningCall, env: unknown, services: Services) {
    const { events, redactor } = services;
    this.#call = call;
    this.#running = running;
    this.#env = env;
    this.#events = events;
    this.#redactor = redactor;
  }

  get callId(): string {
    return this.#call.request.raw.id;
  }

  get tool(): string {
    return this.#call.registration.key;
  }

  get principal(): Principal {
    return this.#call.principal;
  }

  get idempotencyKey(): string {
    const { key, entryId } = this.#call.request;
    return key === undefined ? entryId : keyOf(this.principal, key);
  }

  get env(): unknown {
    return this.#env;
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
      if (this.#isOver || !this.#events.isHeard("tools.progress")) return;
      const { request } = this.#call;
      this.#events.emit("tools.progress", {
        toolName: this.tool,
        callId: this.#redactor.text(request.raw.id),
        entryId: request.entryId,
        runId: request.scope.id,
        agentId: this.principal.agent,
        sessionId: this.principal.session,
        update: this.#redactor.value(update),
        taints: taintsOf(this.#call),
      });
    };
  }

  get note(): (text: string) => void {
    return (text) => {
      if (!this.#isOver) this.#call.recorder.note(text);
    };
  }

  get cost(): (amount: number) => void {
    return (amount) => {
      if (!this.#isOver) addCost(this.#call.recorder, amount);
    };
  }

  /** Whether the attempt has ended: what the code says after that counts for nothing. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The code has answered; its signal stays as it is. */
  end(): void {
    this.#isOver = true;
  }

  /** Nobody waits for the code any more. */
  stop(): void {
    this.#isOver = true;
    this.#stopped = true;
    const controller = this.#controller;
    // Those who listen are code of this call, whoever stops it.
    if (controller !== undefined) runInside(this.#running, () => controller.abort());
  }

  static {
    callOf = (context) => (#running in context ? context.#running : undefined);
  }
}
