import { toPointer } from "../../base/json/json-value.ts";
import type { PolicyProblem } from "../../types/policy-problem.ts";

export interface ProblemSite {
  readonly path: readonly (string | number)[];
  /** The rule's id, or its location if it has none. */
  readonly ruleId?: string;
}

export interface ProblemDetails {
  readonly severity?: PolicyProblem["severity"];
  readonly suggestion?: string | undefined;
}

/** The message begins with the location: `rules[0].tools[1] "refnd" matches no tool.` */
export const createProblem = (
  { path, ruleId }: ProblemSite,
  code: PolicyProblem["code"],
  why: string,
  { severity = "warning", suggestion }: ProblemDetails = {},
): PolicyProblem => {
  const place = placeText(path);
  const rule = ruleId === undefined || place.startsWith(ruleId) ? "" : `Rule "${ruleId}": `;
  return {
    code,
    severity,
    ...(ruleId === undefined ? {} : { ruleId }),
    place: toPointer(path),
    message: `${rule}${place} ${why}.`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
};

export const siteAt = (site: ProblemSite, ...steps: readonly (string | number)[]): ProblemSite => ({
  ...site,
  path: [...site.path, ...steps],
});

export const suggestionText = (meant: string | undefined): string | undefined =>
  meant === undefined ? undefined : `Did you mean ${JSON.stringify(meant)}?`;

export const problemText = ({ message, suggestion }: PolicyProblem): string =>
  suggestion === undefined ? message : `${message} ${suggestion}`;

const plainStep = /^[A-Za-z_$][\w$-]*$/;

/** `rules[0].when.properties.euros` */
const placeText = (path: readonly (string | number)[]): string => {
  let text = "";
  for (const [index, step] of path.entries()) {
    if (index === 0 && step === "policy" && path.length > 1) continue;
    if (typeof step === "number") text += `[${step}]`;
    else if (!plainStep.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
};

export const invalidPolicyProblem = (site: ProblemSite, why: string, suggestion?: string): PolicyProblem =>
  createProblem(site, "invalid_policy", why, { severity: "error", suggestion });
