import type { AuthorizationAnswer } from "@cedar-policy/cedar-wasm/nodejs";
import { hashJson } from "../../base/json/hash.ts";
import { type Decision, makeDecision } from "../../policy/decide-case.ts";
import { isTainted, type PolicyRequest } from "../../policy/policy-request.ts";
import type { Toolkits } from "../../policy/right.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import type { Registration } from "../../types/tool.ts";
import { type CedarEntity, callerEntities, haftUid, type PlainEntity, toolEntity } from "./entities.ts";
import { inputEntities, inputReferences, toCostDecimal } from "./input-entities.ts";
import type { Cedar } from "./load-cedar.ts";
import { readCedarPolicies } from "./read-policies.ts";
import { cedarSchema } from "./schema.ts";

/** Evaluates one principal of a delegation chain. */
export interface CedarAuthorizer {
  readonly mayList: (principal: Principal, registration: Registration) => Decision;
  readonly mayCall: (principal: Principal, request: PolicyRequest) => Decision;
}

export interface CedarAuthorizerOptions {
  readonly policies: string;
  readonly entities: (principal: Principal) => readonly CedarEntity[];
  readonly toolkits: Toolkits;
}

export const createCedarAuthorizer = (
  cedar: Cedar,
  { policies, entities, toolkits }: CedarAuthorizerOptions,
): CedarAuthorizer => {
  const { texts, approvalPolicyIds, reads } = readCedarPolicies(cedar, policies);
  // Cedar keeps both as long as the process runs. Content hashes as names avoid duplicates.
  const schemaName = `haft/${hashJson(cedarSchema)}`;
  const policiesName = `haft/${hashJson(texts)}`;
  requireAccepted(cedar.preparseSchema(schemaName, cedarSchema));
  requireAccepted(cedar.preparsePolicySet(policiesName, { staticPolicies: { ...texts } }));

  const authorize = (
    action: "list" | "call",
    principal: Principal,
    registration: Registration,
    context: Record<string, unknown>,
    more: readonly PlainEntity[],
  ): Decision => {
    const known = callerEntities(principal, entities(principal));
    const tool = toolEntity(registration, toolkits);
    const answer = cedar.statefulIsAuthorized({
      principal: haftUid("Agent", principal.agent),
      action: haftUid("Action", action),
      resource: tool.uid,
      context: context as never,
      entities: [...known, tool, ...more],
      preparsedSchemaName: schemaName,
      preparsedPolicySetId: policiesName,
      validateRequest: true,
    });
    return readCedarAnswer(answer, approvalPolicyIds);
  };

  return {
    mayList: (principal, registration) => authorize("list", principal, registration, {}, []),
    mayCall: (principal, request) => {
      if (!request.validated && reads.size > 0) {
        return makeDecision("deny", "the arguments were not validated, but Cedar policies read them");
      }
      const { tally, repaired, registration, input } = request;
      const context = {
        tainted: isTainted(request),
        taints: [...(tally?.taints ?? [])],
        repaired: repaired === true,
        calls: tally?.calls ?? 0,
        cost: toCostDecimal(tally?.cost ?? 0),
        input: inputReferences,
      };
      return authorize("call", principal, registration, context, inputEntities(input, reads));
    },
  };
};

const requireAccepted = (answer: ReturnType<Cedar["preparseSchema"]>): void => {
  if (answer.type === "success") return;
  const why = answer.errors.map(({ message }) => message).join("; ");
  throw new ConfigurationError("invalid_config", `Cedar refuses the policies: ${why}.`);
};

/** Cedar skips policies that fail, so an error denies. */
const readCedarAnswer = (answer: AuthorizationAnswer, needApproval: ReadonlySet<string>): Decision => {
  if (answer.type === "failure") {
    return makeDecision(
      "deny",
      `Cedar could not decide: ${answer.errors.map(({ message }) => message).join("; ")}`,
    );
  }
  const { decision: cedarDecision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) {
    const broken = diagnostics.errors.map(({ policyId }) => policyId);
    const why = diagnostics.errors.map(({ error }) => error.message).join("; ");
    return makeDecision("deny", `a Cedar policy failed: ${why}`, broken);
  }
  const ids = [...diagnostics.reason].sort();
  if (cedarDecision !== "allow") {
    return makeDecision(
      "deny",
      ids.length === 0 ? "no Cedar policy permits it" : `forbidden by ${ids.join(", ")}`,
      ids,
    );
  }
  const permittedIds = ids.filter((id) => !needApproval.has(id));
  return permittedIds.length > 0
    ? makeDecision("allow", `permitted by ${permittedIds.join(", ")}`, permittedIds)
    : makeDecision("approve", `approval required by ${ids.join(", ")}`, ids);
};
