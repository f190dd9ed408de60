import { ConfigurationError } from "../../words/errors.ts";
import type { Cedar } from "./load-cedar.ts";
import { type InputKind, readsOf } from "./reads.ts";
import { cedarSchema } from "./schema.ts";

export interface CedarPolicies {
  /** Texts by the id they are known by. */
  readonly texts: Readonly<Record<string, string>>;
  /** Permits that hold only once a person approves. */
  readonly needApproval: ReadonlySet<string>;
  readonly reads: ReadonlySet<InputKind>;
}

interface Problem {
  readonly message: string;
  readonly help: string | null;
}

/** Refuses what Cedar would skip when it is asked: a `forbid` with a misspelled attribute forbids nothing. */
export const readPolicies = (cedar: Cedar, text: string): CedarPolicies => {
  if (typeof text !== "string") throw refuse("policies must be a text in Cedar's language");
  const parts = cedar.policySetTextToParts(text);
  if (parts.type === "failure") throw refuse(`cannot be read: ${tell(parts.errors)}`);
  if (parts.policy_templates.length > 0) throw refuse("hold a template, and nobody links it; write a policy");
  const texts = new Map<string, string>();
  const needApproval = new Set<string>();
  const forms: unknown[] = [];
  for (const [index, policy] of inPlace(parts.policies)) {
    const form = cedar.policyToJson(policy);
    if (form.type === "failure") throw refuse(`cannot be read: ${tell(form.errors)}`);
    const { effect, annotations = {}, ...rest } = form.json;
    const { id: given, approval } = annotations;
    const id = given || `policies[${index}]`;
    if (texts.has(id)) throw refuse(`have two of the id "${id}"`);
    texts.set(id, policy);
    forms.push(rest);
    if (approval === undefined) continue;
    if (effect !== "permit" || approval !== "required") {
      throw refuse(`may say @approval("required") of a permit and nothing else; "${id}" does`);
    }
    needApproval.add(id);
  }
  const named = Object.fromEntries(texts);
  validate(cedar, named);
  return { texts: named, needApproval, reads: readsOf(forms) };
};

/** They come in the order of the names Cedar gave them, where `policy10` is before `policy2`. */
const inPlace = (policies: readonly string[]): readonly (readonly [place: number, policy: string])[] => {
  const names = [...policies.keys()].map((place) => `policy${place}`).sort();
  return names.map((name, at) => [Number(name.slice("policy".length)), policies[at]!]);
};

const validate = (cedar: Cedar, texts: CedarPolicies["texts"]): void => {
  const answer = cedar.validate({ schema: cedarSchema, policies: { staticPolicies: { ...texts } } });
  const problems =
    answer.type === "failure"
      ? answer.errors
      : [...answer.validationErrors, ...answer.validationWarnings].map(({ error }) => error);
  if (problems.length > 0) throw refuse(`are not valid: ${tell(problems)}`);
};

const inContext = /in context for .*"list"/;

const tell = (problems: readonly Problem[]): string =>
  problems
    .map(({ message, help }) => {
      const hint = inContext.test(message)
        ? 'only a call has a context, so write `action == Haft::Action::"call"`'
        : help;
      return hint === null ? message : `${message} (${hint})`;
    })
    .join("; ");

const refuse = (why: string) => new ConfigurationError("invalid_config", `The Cedar policies ${why}.`);
