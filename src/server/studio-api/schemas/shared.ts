import {
  arrayTypeOf,
  booleanType,
  enumTypeOf,
  integerType,
  objectTypeOf,
  optionalField,
  type Schema,
  schemaRef,
  stringListType,
  stringType,
  timeType,
  trueType,
  type ValueOf,
} from "./schema-builders.ts";

export const textSchema = objectTypeOf({
  text: stringType,
  isTruncated: optionalField(trueType),
  /** Length of the full text in characters. */
  length: optionalField(integerType),
  href: optionalField(stringType),
});
/** A text. Above 64 KB it is truncated, and `href` has the full text. */
export interface Text extends ValueOf<typeof textSchema> {}
export const textRef = schemaRef<Text>("Text");

export const countSchema = objectTypeOf({ count: integerType, isEstimate: booleanType });
/** A number, exact or estimated. */
export interface Count extends ValueOf<typeof countSchema> {}
export const countRef = schemaRef<Count>("Count");

export const pageFields = {
  /** There are more items. */
  hasMore: booleanType,
  /** `cursor` of the next page. */
  next: optionalField(stringType),
  /** `cursor` of the previous page, with `direction=newer`. */
  previous: optionalField(stringType),
  /** Number of items on all pages. */
  total: optionalField(countRef),
};
const pageFieldsSchema = objectTypeOf(pageFields);
/** One page of a list. */
export interface Page<Item> extends ValueOf<typeof pageFieldsSchema> {
  readonly items: readonly Item[];
}
export const pageOf = <Item>(items: Schema<Item>): Schema<Page<Item>> =>
  objectTypeOf({ items: arrayTypeOf(items), ...pageFields });

export const validationIssueSchema = objectTypeOf({
  /** JSON pointer; "" is the whole value. */
  pointer: stringType,
  message: stringType,
});
/** One problem of a value. */
export interface ValidationIssue extends ValueOf<typeof validationIssueSchema> {}
export const validationIssueRef = schemaRef<ValidationIssue>("ValidationIssue");

export const scopeSchema = enumTypeOf("studio:read", "studio:approve", "studio:run");
/**
 * `studio:read` reads, `studio:approve` answers approvals and reviews, `studio:run` calls tools and runs
 * agents.
 */
export type Scope = ValueOf<typeof scopeSchema>;

export const apiErrorSchema = objectTypeOf({
  error: objectTypeOf({
    /** `not_found`, `missing_scope`, `already_answered`, … */
    code: stringType,
    message: stringType,
    /** The missing scope, for `missing_scope`. */
    scope: optionalField(scopeSchema),
    /** Problems by JSON pointer, for `invalid`. */
    issues: optionalField(arrayTypeOf(validationIssueRef)),
  }),
});
/** Body of every error response. */
export interface ApiError extends ValueOf<typeof apiErrorSchema> {}

export const callerSchema = objectTypeOf({
  agent: stringType,
  user: optionalField(stringType),
  tenant: optionalField(stringType),
  session: optionalField(stringType),
  roles: optionalField(stringListType),
  /** The delegator. */
  within: optionalField(schemaRef<Caller>("Caller")),
});
/** A principal without its permissions. */
export interface Caller extends ValueOf<typeof callerSchema> {}
export const callerRef = schemaRef<Caller>("Caller");

export const ledgerLocationSchema = objectTypeOf({
  kind: enumTypeOf("memory", "sqlite", "postgres", "other"),
  /** Without any password. */
  location: optionalField(stringType),
});
/** Kind and location of the ledger. */
export interface LedgerLocation extends ValueOf<typeof ledgerLocationSchema> {}

export const meSchema = objectTypeOf({
  /** Name recorded with answers. */
  name: stringType,
  /** Default principal of tool calls. */
  principal: optionalField(callerRef),
  scopes: arrayTypeOf(scopeSchema),
  /** When the session expires. */
  expiresAt: optionalField(timeType),
  version: stringType,
  ledger: ledgerLocationSchema,
  agents: stringListType,
  features: objectTypeOf({
    fleet: booleanType,
    experiments: booleanType,
    servers: booleanType,
    agents: booleanType,
    approvals: booleanType,
    runs: booleanType,
    /** The ledger has a hash chain that `/verify` checks. */
    chain: booleanType,
  }),
  /** Origin for MCP Apps. */
  appOrigin: optionalField(stringType),
});
/** The signed-in person, and what this Studio offers. */
export interface Me extends ValueOf<typeof meSchema> {}

export const emptyBodySchema = objectTypeOf({});
export const signInBodySchema = objectTypeOf({ token: stringType });
