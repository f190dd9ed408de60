import { checkFields } from "../../base/json/check-fields.ts";
import { ConfigurationError } from "../../types/errors.ts";

type FieldCheck = "text" | "flag" | "number" | "count" | "counts" | readonly string[];

const queryFields = {
  entries: {
    entryId: "text",
    callId: "text",
    runId: "text",
    tool: "text",
    agent: "text",
    session: "text",
    ending: ["open", "executed", "failed", "pending", "hydrated", "unknown"],
    mayHaveTakenEffect: "flag",
    since: "number",
    until: "number",
    before: "text",
    after: "text",
    limit: "count",
  },
  rows: { after: "count", behind: "counts", entryId: "text", limit: "count" },
  approvals: {
    status: ["waiting", "answered", "used", "expired", "void"],
    runId: "text",
    tool: "text",
    limit: "count",
  },
  runs: {
    status: ["running", "done", "pending", "stopped", "cancelled", "failed"],
    agent: "text",
    before: "text",
    limit: "count",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldCheck>>>>;

/** Validates a query: an unknown or malformed field would silently match everything or nothing. */
export const readQuery = <Query extends object>(
  of: keyof typeof queryFields,
  query: Query | undefined,
): Query | undefined => {
  if (query === undefined) return undefined;
  const checks: Readonly<Record<string, FieldCheck>> = queryFields[of];
  checkFields(`The query of ${of}`, query, Object.keys(checks));
  for (const [field, value] of Object.entries(query)) {
    if (value === undefined || isValidField(checks[field]!, value)) continue;
    throw new ConfigurationError(
      "invalid_config",
      `The query of ${of} has a wrong \`${field}\`: it is ${describeFieldCheck(checks[field]!)}.`,
    );
  }
  return query;
};

const isValidField = (check: FieldCheck, value: unknown): boolean => {
  if (check === "text") return typeof value === "string";
  if (check === "flag") return typeof value === "boolean";
  if (check === "number") return Number.isFinite(value);
  if (check === "count") return Number.isSafeInteger(value) && (value as number) >= 0;
  if (check === "counts") return Array.isArray(value) && value.every((each) => isValidField("count", each));
  return check.includes(value as string);
};

const describeFieldCheck = (check: FieldCheck): string => {
  if (check === "text") return "a string";
  if (check === "flag") return "true or false";
  if (check === "number") return "a time in milliseconds since 1970";
  if (check === "count") return "a whole number, 0 or more";
  if (check === "counts") return "a list of whole numbers, 0 or more";
  return `one of ${check.join(", ")}`;
};
