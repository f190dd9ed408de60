import { type CredentialStore, readSecret } from "../../base/credentials/credentials.ts";
import { hashJson } from "../../base/json/canonical-json.ts";
import type { Redactor } from "../../base/json/redact.ts";
import { taintSourceOf } from "../../policy/taint.ts";
import type { CallContext, RunningCall } from "../../types/call.ts";
import type { EventBus } from "../../types/event.ts";
import type { LedgerEntry } from "../../types/ledger.ts";
import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import type { PermittedCall } from "../call-state.ts";
import { withCallContextAsync } from "../current-call.ts";

interface RunningContextServices {
  readonly events: EventBus;
  readonly redactor: Redactor;
  readonly secret: CredentialStore["secret"];
}

/** Scopes the caller's key, because two callers may use the same key. */
export const idempotencyKeyOf = (
  { agent, user, tenant }: Pick<LedgerEntry, "agent" | "user" | "tenant">,
  key: string | undefined,
  entryId: string,
): string => (key === undefined ? entryId : hashJson([tenant ?? null, user ?? null, agent ?? null, key]));

export const callTaintsOf = ({ registration, recorder }: PermittedCall): readonly string[] => {
  const own = taintSourceOf(registration);
  return own === undefined ? recorder.taints : [own, ...recorder.taints];
};

/** The context of an attempt. Its abort controller is created on first use. */
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
      if (!this.#isOver) this.#call.recorder.addCost(amount);
    };
  }

  get secret(): (name: string) => Promise<string> {
    return (name) => readSecret(this.#secret, name);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
  }

  stop(): void {
    this.#isOver = true;
    this.#isStopped = true;
    const controller = this.#controller;
    // Abort listeners run in the context of the call.
    if (controller !== undefined) withCallContextAsync(this.#runningCall, () => controller.abort());
  }

  static runningCallOf(context: CallContext): RunningCall | undefined {
    return context instanceof RunningContext ? context.#runningCall : undefined;
  }
}

export const runningCallOf = RunningContext.runningCallOf;
