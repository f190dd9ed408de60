import type { Decision } from "../../policy/policy.ts";
import type { ImmediateApproval } from "../../types/approval.ts";
import { type AuthorizedCall, type Permit, sealCall } from "../../types/call.ts";
import type { AnyLayer, RegisteredName, Registration } from "../../types/tool.ts";
import type { BoundCall, PermittedCall } from "../call-state.ts";

interface HumanApproval {
  readonly atOnce: ImmediateApproval | undefined;
}

/** Holds the authorized call in a private field, which a copy lacks. */
class SealedPermit implements Permit {
  readonly #call: PermittedCall;
  readonly input: unknown;
  readonly decision: string;
  readonly ruleIds: readonly string[];

  constructor(
    call: BoundCall,
    approvers: readonly AnyLayer[],
    { reason, ruleIds }: Decision,
    approval: HumanApproval | undefined,
  ) {
    this.#call = toPermittedCall(call, this, approvers, approval);
    this.input = call.input;
    this.decision = reason;
    this.ruleIds = ruleIds;
    Object.freeze(this);
  }

  static callOf(grant: unknown): PermittedCall | undefined {
    return grant instanceof SealedPermit ? grant.#call : undefined;
  }
}

export const permittedCallOf = SealedPermit.callOf;

export const issuePermit = (
  call: BoundCall,
  decision: Decision,
  approvers: readonly AnyLayer[],
  approval?: HumanApproval,
): PermittedCall => permittedCallOf(new SealedPermit(call, approvers, decision, approval))!;

const toPermittedCall = (
  call: BoundCall,
  permit: Permit,
  approvers: readonly AnyLayer[],
  approval: HumanApproval | undefined,
): PermittedCall => ({
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
  grant: permit,
  approvers,
  approved: approval?.atOnce,
  isApproved: approval !== undefined,
});

export const toAuthorizedCall = (call: PermittedCall): AuthorizedCall =>
  sealCall({
    request: call.request,
    principal: call.principal,
    registration: registeredNameOf(call.registration),
    spec: call.spec,
    input: call.input,
    env: call.request.env,
    implementation: call.registration.tool.implementation._tag,
    grant: call.grant,
    recorder: call.recorder,
  });

const registeredNames = new WeakMap<Registration, RegisteredName>();

/** Omits the tool, with which a layer could bypass the gate. */
const registeredNameOf = (registration: Registration): RegisteredName => {
  const before = registeredNames.get(registration);
  if (before !== undefined) return before;
  const { key, wireName, origin } = registration;
  const name = Object.freeze({ key, wireName, origin });
  registeredNames.set(registration, name);
  return name;
};
