import type { AuthorizationAnswer } from "@cedar-policy/cedar-wasm/nodejs";
import { hashJson } from "../../base/json/canonical-json.ts";
import { type Decision, makeDecision } from "../../policy/decide-case.ts";
import { isTainted, type PolicyRequest } from "../../policy/engine.ts";
import type { Toolkits } from "../../policy/right.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import type { Registration } from "../../types/tool.ts";
import {
  type Cedar,
  type CedarEntity,
  callerEntities,
  cedarSchema,
  haftUid,
  type InputKind,
  inputKinds,
  inputKindsReadBy,
  type PlainEntity,
  toolEntity,
} from "./entities.ts";

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

const maxInputValues = 2_000;

const cedarTypeNames: Readonly<Record<InputKind, string>> = {
  text: "Text",
  number: "Number",
  decimal: "Decimal",
  flag: "Flag",
  list: "List",
};

const inputReferences = Object.fromEntries(
  inputKinds.map((kind) => [kind, { __entity: haftUid(cedarTypeNames[kind], "input") }]),
);

/**
 * Throws on values that Cedar cannot represent and on duplicate paths: leaving them out could bypass a
 * `forbid`.
 */
export const inputEntities = (input: unknown, reads: ReadonlySet<InputKind>): PlainEntity[] => {
  if (reads.size === 0) return [];
  const tags = new Map([...reads].map((kind) => [kind, new Map<string, unknown>()]));
  const write = (kind: InputKind, path: string, value: unknown): void => {
    const written = tags.get(kind);
    if (written?.has(path)) throw new Error(`two arguments have the path ${path}`);
    written?.set(path, value);
  };
  const stack: [path: string, value: unknown][] = [["", input]];
  for (let seen = 0; stack.length > 0; seen += 1) {
    if (seen === maxInputValues) throw new Error(`the arguments have more than ${maxInputValues} parts`);
    const [path, value] = stack.pop()!;
    if (typeof value === "string") write("text", path, value);
    else if (typeof value === "boolean") write("flag", path, value);
    else if (typeof value === "number") {
      write("number", path, toCedarLong(path, value, reads));
      write("decimal", path, toCedarDecimal(value, `the argument ${path}`, reads));
    } else if (typeof value === "object" && value !== null) {
      if (Array.isArray(value))
        write(
          "list",
          path,
          value.filter((entry) => typeof entry === "string"),
        );
      for (const [key, child] of Object.entries(value)) stack.push([joinPath(path, key), child]);
    }
  }
  return [...tags].map(([kind, values]) => ({
    uid: haftUid(cedarTypeNames[kind], "input"),
    attrs: {},
    parents: [],
    tags: Object.fromEntries(values) as never,
  }));
};

/** The empty path is the whole input, so an empty key becomes `~2`. */
const joinPath = (path: string, key: string): string => {
  const step = key === "" ? "~2" : key.replaceAll("~", "~0").replaceAll("/", "~1");
  return path === "" ? step : `${path}/${step}`;
};

const toCedarLong = (path: string, value: number, reads: ReadonlySet<InputKind>): number | undefined => {
  if (!reads.has("number") || Number.isSafeInteger(value)) return value;
  throw new Error(
    `the argument ${path} is ${value}, but \`number\` supports only whole numbers; use \`decimal\``,
  );
};

const toCedarDecimal = (value: number, what: string, reads: ReadonlySet<InputKind>): unknown => {
  if (!reads.has("decimal")) return undefined;
  const text = value.toFixed(4);
  if (Math.abs(value) < 9e14 && Number(text) === value) return cedarDecimal(text);
  throw new Error(
    `${what} is ${value}, but Cedar's decimals have at most 14 digits before and four after the point`,
  );
};

const cedarDecimal = (text: string) => ({ __extn: { fn: "decimal", arg: text } });

/** Rounded up, so that no cost is left out. */
const toCostDecimal = (cost: number): unknown => {
  if (!(Math.abs(cost) < 9e14)) throw new Error(`the cost of the run is unknown (${cost})`);
  const up = Math.ceil(cost * 1e4) / 1e4;
  return cedarDecimal(up.toFixed(4));
};

interface CedarPolicies {
  readonly texts: Readonly<Record<string, string>>;
  readonly approvalPolicyIds: ReadonlySet<string>;
  readonly reads: ReadonlySet<InputKind>;
}

interface CedarProblem {
  readonly message: string;
  readonly help: string | null;
}

/** Rejects what Cedar would skip at evaluation: a `forbid` with a misspelled attribute forbids nothing. */
const readCedarPolicies = (cedar: Cedar, text: string): CedarPolicies => {
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
