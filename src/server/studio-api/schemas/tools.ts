import { appViewRef } from "./apps.ts";
import { toolStatsSchema } from "./overview.ts";
import {
  anyType,
  arrayTypeOf,
  booleanType,
  numberRecordType,
  numberType,
  objectTypeOf,
  optionalField,
  recordType,
  type Schema,
  schemaRef,
  stringListType,
  stringType,
  timeType,
  type ValueOf,
} from "./schema-builders.ts";
import { callerRef, pageFields, textRef, validationIssueRef } from "./shared.ts";

export const toolListItemSchema = objectTypeOf({
  /** `tool`, `ns/tool` or `org/ns/tool`. */
  key: stringType,
  name: stringType,
  description: stringType,
  title: optionalField(stringType),
  origin: stringType,
  source: stringType,
  category: stringType,
  risk: stringType,
  tags: stringListType,
  requiresApproval: booleanType,
  readOnly: booleanType,
  idempotent: booleanType,
  destructive: booleanType,
  openWorld: booleanType,
  wireName: stringType,
  /** Its MCP server. */
  server: optionalField(stringType),
  /** Why the tool is quarantined until it is reviewed. */
  quarantineReason: optionalField(stringType),
});
/** A tool in a list. */
export interface ToolListItem extends ValueOf<typeof toolListItemSchema> {}
const toolListItemRef = schemaRef<ToolListItem>("ToolListItem");

const toolMatchFields = {
  key: stringType,
  score: numberType,
  reason: stringType,
  terms: arrayTypeOf(objectTypeOf({ term: stringType, place: stringType, for: optionalField(stringType) })),
  /** Evidence by kind, from 0 to 1. */
  evidence: numberRecordType,
};
export const toolMatchSchema = objectTypeOf(toolMatchFields);
/** A tool found by a search. */
export interface ToolMatch extends ValueOf<typeof toolMatchSchema> {}

export const toolSearchResultSchema = objectTypeOf({
  query: stringType,
  /** Probability from 0 to 1 that the best result fits. */
  confidence: numberType,
  noMatchReason: optionalField(stringType),
  matches: arrayTypeOf<Schema<ToolMatch>>(toolMatchSchema),
  /** Tools that were not selected, with the reason. */
  nearMisses: arrayTypeOf(objectTypeOf({ ...toolMatchFields, exclusionReason: stringType })),
  intents: arrayTypeOf(objectTypeOf({ text: stringType, tools: stringListType })),
});
/** Search results with explanations, best first. */
export interface ToolSearchResult extends ValueOf<typeof toolSearchResultSchema> {}

export const catalogSchema = objectTypeOf({
  items: arrayTypeOf(toolListItemRef),
  ...pageFields,
  /** Search details, if a query was given. */
  search: optionalField<Schema<ToolSearchResult>>(toolSearchResultSchema),
});
/** Tools by name, or search results. */
export interface Catalog extends ValueOf<typeof catalogSchema> {}

export const toolSnippetsSchema = objectTypeOf({
  code: stringType,
  commandLine: stringType,
  /** The parameters of `tools/call`. */
  mcp: anyType,
});
/** The call in other notations. */
export interface ToolSnippets extends ValueOf<typeof toolSnippetsSchema> {}
const toolSnippetsRef = schemaRef<ToolSnippets>("ToolSnippets");

export const toolFormatSchema = objectTypeOf({
  format: stringType,
  definition: anyType,
  losses: arrayTypeOf(
    objectTypeOf({ pointer: stringType, message: stringType, kind: optionalField(stringType) }),
  ),
});
/** A tool in a vendor's format, with what the format loses. */
export interface ToolFormat extends ValueOf<typeof toolFormatSchema> {}

export const toolDetailSchema = objectTypeOf({
  summary: toolListItemRef,
  signature: optionalField(stringType),
  input: anyType,
  output: optionalField(anyType),
  timeoutMs: optionalField(numberType),
  maxCost: optionalField(numberType),
  meta: optionalField(recordType),
  /** Hash of its definition. */
  definition: stringType,
  implementation: stringType,
  layers: stringListType,
  /** Tools whose short name this tool takes. */
  shadows: stringListType,
  shadowedBy: optionalField(stringType),
  formats: arrayTypeOf<Schema<ToolFormat>>(toolFormatSchema),
  snippets: toolSnippetsRef,
  stats: toolStatsSchema,
  /** Durations of recent calls, oldest first. */
  recentCalls: arrayTypeOf(
    objectTypeOf({
      entryId: stringType,
      at: timeType,
      durationMs: optionalField(numberType),
      ending: stringType,
    }),
  ),
  /** The App that shows its results. */
  app: optionalField(objectTypeOf({ server: stringType, uri: stringType })),
});
/** All details of a tool. */
export interface ToolDetail extends ValueOf<typeof toolDetailSchema> {}

export const toolCallBodySchema = objectTypeOf({
  input: anyType,
  /** ID of a principal of `/permissions`. Default: the signed-in person. */
  as: optionalField(stringType),
});
/** The body of `POST /tools/{key}/call`. */
export interface ToolCallBody extends ValueOf<typeof toolCallBodySchema> {}

export const toolCallResultSchema = objectTypeOf({
  ok: booleanType,
  /** Text for the model. */
  content: textRef,
  /** The value, if it is JSON. */
  value: optionalField(anyType),
  entryId: optionalField(stringType),
  code: optionalField(stringType),
  approvalId: optionalField(stringType),
  media: arrayTypeOf(
    objectTypeOf({
      kind: stringType,
      mediaType: stringType,
      data: optionalField(stringType),
      url: optionalField(stringType),
      name: optionalField(stringType),
    }),
  ),
  caller: callerRef,
  /** Data for the tool's App. */
  app: optionalField(appViewRef),
});
/** Result of a call from the Studio. */
export interface ToolCallResult extends ValueOf<typeof toolCallResultSchema> {}

export const validateBodySchema = objectTypeOf({ input: anyType });
/** The body of `POST /tools/{key}/validate`. */
export interface ValidateBody extends ValueOf<typeof validateBodySchema> {}

export const validationSchema = objectTypeOf({
  ok: booleanType,
  issues: arrayTypeOf(validationIssueRef),
  /** With defaults applied. */
  value: optionalField(anyType),
  snippets: toolSnippetsRef,
});
/** Whether arguments match a tool's schema. */
export interface Validation extends ValueOf<typeof validationSchema> {}
