import { ConfigurationError } from "../../types/errors.ts";
import { type InputKind, inputKindsReadBy } from "./input-kinds-read.ts";
import type { Cedar } from "./load-cedar.ts";
import { cedarSchema } from "./schema.ts";

export interface CedarPolicies {
  readonly texts: Readonly<Record<string, string>>;
  readonly approvalPolicyIds: ReadonlySet<string>;
  readonly reads: ReadonlySet<InputKind>;
}

interface CedarProblem {
  readonly message: string;
  readonly help: string | null;
}

/** Rejects what Cedar would skip at evaluation: a `forbid` with a misspelled attribute forbids nothing. */
export const readCedarPolicies = (cedar: Cedar, text: string): CedarPolicies => {
  if (typeof text !== "string") throw cedarPoliciesError("must be a string in Cedar's language");
  const parts = cedar.policySetTextToParts(text);
  if (parts.type === "failure") throw cedarPoliciesError(`cannot be read: ${problemsText(parts.errors)}`);
  if (parts.policy_templates.length > 0)
    throw cedarPoliciesError("contain a template, which is not supported; write a policy");
  const texts = new Map<string, string>();
  const approvalPolicyIds = new Set<string>();
  const forms: unknown[] = [];
  for (const [index, policy] of inTextOrder(parts.policies)) {
    const form = cedar.policyToJson(policy);
    if (form.type === "failure") throw cedarPoliciesError(`cannot be read: ${problemsText(form.errors)}`);
    const { effect, annotations = {}, ...rest } = form.json;
    const { id: given, approval } = annotations;
    const id = given || `policies[${index}]`;
    if (texts.has(id)) throw cedarPoliciesError(`have two policies with the id "${id}"`);
    texts.set(id, policy);
    forms.push(rest);
    if (approval === undefined) continue;
    if (effect !== "permit" || approval !== "required") {
      throw cedarPoliciesError(
        `may use @approval only as @approval("required") on a permit; "${id}" does not`,
      );
    }
    approvalPolicyIds.add(id);
  }
  const named = Object.fromEntries(texts);
  validatePolicies(cedar, named);
  return { texts: named, approvalPolicyIds, reads: inputKindsReadBy(forms) };
};

/** Cedar sorts policies by generated names, where `policy10` precedes `policy2`. */
const inTextOrder = (policies: readonly string[]): readonly (readonly [place: number, policy: string])[] => {
  const names = [...policies.keys()].map((place) => `policy${place}`).sort();
  return names.map((name, at) => [Number(name.slice("policy".length)), policies[at]!]);
};

const validatePolicies = (cedar: Cedar, texts: CedarPolicies["texts"]): void => {
  const answer = cedar.validate({ schema: cedarSchema, policies: { staticPolicies: { ...texts } } });
  const problems =
    answer.type === "failure"
      ? answer.errors
      : [...answer.validationErrors, ...answer.validationWarnings].map(({ error }) => error);
  if (problems.length > 0) throw cedarPoliciesError(`are not valid: ${problemsText(problems)}`);
};

const listContextError = /in context for .*"list"/;

const problemsText = (problems: readonly CedarProblem[]): string =>
  problems
    .map(({ message, help }) => {
      const hint = listContextError.test(message)
        ? 'only a call has a context, so write `action == Haft::Action::"call"`'
        : help;
      return hint === null ? message : `${message} (${hint})`;
    })
    .join("; ");

const cedarPoliciesError = (why: string) =>
  new ConfigurationError("invalid_config", `The Cedar policies ${why}.`);
