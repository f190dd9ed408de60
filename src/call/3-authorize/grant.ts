import type { Decision } from "../../policy/policy.ts";
import type { Approved } from "../../words/approval.ts";
import type { AuthorizedCall, BoundCall, Grant, Run, Trip } from "../../words/call.ts";
import type { AnyLayer } from "../../words/layer.ts";
import type { Principal } from "../../words/principal.ts";
import type { Registration } from "../../words/tool.ts";

/** Sealed: a copy with another input in it is no grant, and neither is the grant of another call. */
class SealedGrant implements Grant {
  readonly #seal = true;
  readonly trip: Trip;
  readonly principal: Principal;
  readonly registration: Registration;
  readonly input: unknown;
  readonly run: Run;
  readonly approvers: readonly AnyLayer[];
  readonly decision: string;
  readonly ruleIds: readonly string[];
  readonly approval: Approved | undefined;

  constructor(
    call: BoundCall,
    approvers: readonly AnyLayer[],
    { reason, ruleIds }: Decision,
    approval: Approved | undefined,
  ) {
    this.trip = call.trip;
    this.principal = call.principal;
    this.registration = call.registration;
    this.input = call.input;
    this.run = call.run;
    this.approvers = approvers;
    this.decision = reason;
    this.ruleIds = ruleIds;
    this.approval = approval;
    Object.freeze(this);
  }

  static isGenuine(grant: object): boolean {
    return #seal in grant;
  }
}

/** Whether this call is the one that was granted, save for its input. */
export const isGranted = (call: AuthorizedCall): boolean => {
  const { grant } = call;
  return (
    typeof grant === "object" &&
    grant !== null &&
    SealedGrant.isGenuine(grant) &&
    grant.trip === call.trip &&
    grant.principal === call.principal &&
    grant.registration === call.registration &&
    grant.run === call.run &&
    call.spec === call.registration.tool.spec
  );
};

/** The only maker of an AuthorizedCall; what is granted is exactly what is in it now. */
export const grant = (
  call: BoundCall,
  decision: Decision,
  approvers: readonly AnyLayer[],
  approval?: Approved,
): AuthorizedCall =>
  ({
    trip: call.trip,
    principal: call.principal,
    registration: call.registration,
    spec: call.spec,
    input: call.input,
    validated: call.validated,
    run: call.run,
    env: call.trip.env,
    grant: new SealedGrant(call, approvers, decision, approval),
  }) as unknown as AuthorizedCall;
