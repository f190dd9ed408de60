import type { Decision } from "../../policy/policy.ts";
import type { Approved } from "../../words/approval.ts";
import { type AuthorizedCall, type Grant, seal } from "../../words/call.ts";
import type { AnyLayer } from "../../words/layer.ts";
import type { RegisteredName, Registration } from "../../words/tool.ts";
import type { BoundCall, GrantedCall } from "../call-state.ts";

/** The call that a grant allows, or nothing if it is no grant of ours. */
export let grantedBy: (grant: unknown) => GrantedCall | undefined;

/** Sealed: it holds the call that was allowed where nobody can change it, and a copy of it holds nothing. */
class SealedGrant implements Grant {
  readonly #call: GrantedCall;
  readonly input: unknown;
  readonly decision: string;
  readonly ruleIds: readonly string[];

  constructor(
    call: BoundCall,
    approvers: readonly AnyLayer[],
    { reason, ruleIds }: Decision,
    approved: Approved | undefined,
  ) {
    this.#call = toGranted(call, this, approvers, approved);
    this.input = call.input;
    this.decision = reason;
    this.ruleIds = ruleIds;
    Object.freeze(this);
  }

  static {
    grantedBy = (grant) =>
      typeof grant === "object" && grant !== null && #call in grant ? grant.#call : undefined;
  }
}

/** The only maker of a grant; what is granted is exactly what is in the call now. */
export const grant = (
  call: BoundCall,
  decision: Decision,
  approvers: readonly AnyLayer[],
  approved?: Approved,
): GrantedCall => grantedBy(new SealedGrant(call, approvers, decision, approved))!;

const toGranted = (
  call: BoundCall,
  given: Grant,
  approvers: readonly AnyLayer[],
  approved: Approved | undefined,
): GrantedCall => ({
  request: call.request,
  parent: call.parent,
  onReply: call.onReply,
  recorder: call.recorder,
  principal: call.principal,
  clock: call.clock,
  startedAt: call.startedAt,
  ledgerError: call.ledgerError,
  registration: call.registration,
  provenance: call.provenance,
  spec: call.spec,
  input: call.input,
  transformed: call.transformed,
  isRevised: call.isRevised,
  validated: call.validated,
  run: call.run,
  grant: given,
  approvers,
  approved,
});

/** What layers see of it. */
export const toAuthorizedCall = (call: GrantedCall): AuthorizedCall =>
  seal({
    request: call.request,
    principal: call.principal,
    registration: nameOf(call.registration),
    spec: call.spec,
    input: call.input,
    env: call.request.env,
    implementation: call.registration.tool.implementation._tag,
    grant: call.grant,
    recorder: call.recorder,
  });

const names = new WeakMap<Registration, RegisteredName>();

/** Without the tool itself: whoever had it could start its code beside the gate. */
const nameOf = (registration: Registration): RegisteredName => {
  const before = names.get(registration);
  if (before !== undefined) return before;
  const { key, wireName, origin } = registration;
  const name = Object.freeze({ key, wireName, origin });
  names.set(registration, name);
  return name;
};
