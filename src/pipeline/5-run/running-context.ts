import { type CredentialStore, readSecret } from "../../base/credentials/credentials.ts";
import { hashJson } from "../../base/json/hash.ts";
import type { Redactor } from "../../base/json/redact.ts";
import { taintSourceOf } from "../../policy/taint.ts";
import type { CallContext, RunningCall } from "../../types/call.ts";
import type { EventBus } from "../../types/event.ts";
import type { LedgerEntry } from "../../types/ledger.ts";
import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import type { PermittedCall } from "../call-state.ts";
import { withCallContextAsync } from "../current-call.ts";
import { addCost } from "../recorder.ts";

interface RunningContextServices {
  readonly events: EventBus;
  readonly redactor: Redactor;
  readonly secret: CredentialStore["secret"];
}

/** Two callers may choose the same key: a service behind the tool gets different ones. */
export const idempotencyKeyOf = (
  { agent, user, tenant }: Pick<LedgerEntry, "agent" | "user" | "tenant">,
  key: string | undefined,
  entryId: string,
): string => (key === undefined ? entryId : hashJson([tenant ?? null, user ?? null, agent ?? null, key]));

/** The tool's own words and those its code has read are in whatever it says, wherever a layer keeps it. */
export const callTaintsOf = ({ registration, recorder }: PermittedCall): readonly string[] => {
  const own = taintSourceOf(registration);
  return own === undefined ? recorder.taints : [own, ...recorder.taints];
};

/** The call that a context was given to; none for a context that is not ours. */
export let runningCallOf: (context: CallContext) => RunningCall | undefined;

/** One attempt's context. Each attempt has a signal of its own, made only when the tool looks at it. */
export class RunningContext implements CallContext {
  readonly #call: PermittedCall;
  readonly #runningCall: RunningCall;
  readonly #env: unknown;
  readonly #events: EventBus;
  readonly #redactor: Redactor;
  readonly #secret: RunningContextServices["secret"];
  #controller: AbortController | undefined;
  #isStopped = false;
  #isOver = false;

  constructor(call: PermittedCall, running: RunningCall, env: unknown, services: RunningContextServices) {
    const { events, redactor, secret } = services;
    this.#call = call;
    this.#runningCall = running;
    this.#env = env;
    this.#events = events;
    this.#redactor = redactor;
    this.#secret = secret;
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
    return idempotencyKeyOf(callerIdentityOf(this.principal), key, entryId);
  }

  get env(): unknown {
    return this.#env;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isStopped) this.#controller.abort();
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
        taints: callTaintsOf(this.#call),
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

  get secret(): (name: string) => Promise<string> {
    return (name) => readSecret(this.#secret, name);
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
    this.#isStopped = true;
    const controller = this.#controller;
    // Those who listen are code of this call, whoever stops it.
    if (controller !== undefined) withCallContextAsync(this.#runningCall, () => controller.abort());
  }

  static {
    runningCallOf = (context) => (#runningCall in context ? context.#runningCall : undefined);
  }
}
