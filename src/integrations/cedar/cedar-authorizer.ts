import { hashJson } from "../../json/hash.ts";
import { ConfigurationError } from "../../words/errors.ts";
import type { Principal } from "../../words/principal.ts";
import type { Registration } from "../../words/tool.ts";
import { type Decision, decision } from "../judge.ts";
import { isTainted, type PolicyRequest } from "../request.ts";
import type { Toolkits } from "../right.ts";
import { readAnswer } from "./answer.ts";
import { type CedarEntity, callerEntities, type PlainEntity, toolEntity, uid } from "./entities.ts";
import { costDecimal, inputEntities, inputReferences } from "./input.ts";
import type { Cedar } from "./load-cedar.ts";
import { readPolicies } from "./read-policies.ts";
import { cedarSchema } from "./schema.ts";

/** Puts questions to Cedar about one caller by itself. */
export interface CedarAsker {
  readonly mayList: (principal: Principal, registration: Registration) => Decision;
  readonly mayCall: (principal: Principal, request: PolicyRequest) => Decision;
}

export interface AskerOptions {
  readonly policies: string;
  readonly entities: (principal: Principal) => readonly CedarEntity[];
  readonly toolkits: Toolkits;
}

export const cedarAsker = (cedar: Cedar, { policies, entities, toolkits }: AskerOptions): CedarAsker => {
  const { texts, needApproval, reads } = readPolicies(cedar, policies);
  // Cedar keeps both for as long as the process lives, so the same ones get the same names.
  const schemaName = `haft/${hashJson(cedarSchema)}`;
  const policiesName = `haft/${hashJson(texts)}`;
  accept(cedar.preparseSchema(schemaName, cedarSchema));
  accept(cedar.preparsePolicySet(policiesName, { staticPolicies: { ...texts } }));

  const ask = (
    action: "list" | "call",
    principal: Principal,
    registration: Registration,
    context: Record<string, unknown>,
    more: readonly PlainEntity[],
  ): Decision => {
    const known = callerEntities(principal, entities(principal));
    const tool = toolEntity(registration, toolkits);
    const answer = cedar.statefulIsAuthorized({
      principal: uid("Agent", principal.agent),
      action: uid("Action", action),
      resource: tool.uid,
      context: context as never,
      entities: [...known, tool, ...more],
      preparsedSchemaName: schemaName,
      preparsedPolicySetId: policiesName,
      validateRequest: true,
    });
    return readAnswer(answer, needApproval);
  };

  return {
    mayList: (principal, registration) => ask("list", principal, registration, {}, []),
    mayCall: (principal, request) => {
      if (!request.validated && reads.size > 0) {
        return decision("deny", "the arguments were never validated, and Cedar policies look at them");
      }
      const { tally, repaired, registration, input } = request;
      const context = {
        tainted: isTainted(request),
        taints: [...(tally?.taints ?? [])],
        repaired: repaired === true,
        calls: tally?.calls ?? 0,
        cost: costDecimal(tally?.cost ?? 0),
        input: inputReferences,
      };
      return ask("call", principal, registration, context, inputEntities(input, reads));
    },
  };
};

const accept = (answer: ReturnType<Cedar["preparseSchema"]>): void => {
  if (answer.type === "success") return;
  const why = answer.errors.map(({ message }) => message).join("; ");
  throw new ConfigurationError("invalid_config", `Cedar refuses the policies: ${why}.`);
};
