import type { JsonSchema } from "../../../types/json.ts";
import type { CallFigures } from "../types/overview.ts";
import type { ExplainedRule, NamedPrincipal, Right, RightExplained, Rights } from "../types/rights.ts";
import type { Page } from "../types/shared.ts";
import type {
  Catalog,
  ToolCallResult,
  ToolCopies,
  ToolDetail,
  ToolFormat,
  ToolLine,
  ToolMatch,
  ToolSearchResult,
  Validation,
} from "../types/tools.ts";
import {
  type AnswerFields,
  anyType,
  arrayTypeOf,
  booleanType,
  enumTypeOf,
  integerType,
  numberType,
  objectTypeOf,
  optionalField,
  recordType,
  schemaRef,
  stringListType,
  stringType,
  timeType,
} from "./schema-builders.ts";

const rightEffect = enumTypeOf("allow", "approve", "deny", "unknown");
const failuresByCode = arrayTypeOf(
  objectTypeOf<{ code: string; count: number }>({ code: stringType, count: integerType }),
);

const pageFields = <Item>(items: JsonSchema): AnswerFields<Page<Item>> => ({
  items: arrayTypeOf(items),
  isCut: booleanType,
  next: optionalField(stringType),
  previous: optionalField(stringType),
  total: optionalField(schemaRef("Count")),
});

const figureFields: AnswerFields<CallFigures> = {
  calls: schemaRef("Count"),
  failed: schemaRef("Count"),
  p50: optionalField(numberType),
  p95: optionalField(numberType),
  cost: optionalField(numberType),
};

const rightFields: AnswerFields<Right> = {
  effect: rightEffect,
  reason: stringType,
  ruleIds: stringListType,
  depends: arrayTypeOf(enumTypeOf("arguments", "untrusted-words", "repairs", "spending", "unknown")),
};

const toolMatchFields: AnswerFields<ToolMatch> = {
  key: stringType,
  score: numberType,
  reason: stringType,
  terms: arrayTypeOf(
    objectTypeOf<ToolMatch["terms"][number]>({
      term: stringType,
      place: stringType,
      for: optionalField(stringType),
    }),
  ),
  evidence: { type: "object", additionalProperties: numberType },
};

export const toolsSchemas: Readonly<Record<string, JsonSchema>> = {
  ToolLine: objectTypeOf<ToolLine>({
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
    server: optionalField(stringType),
    heldBack: optionalField(stringType),
  }),
  Catalog: objectTypeOf<Catalog>({
    ...pageFields<ToolLine>(schemaRef("ToolLine")),
    search: optionalField(
      objectTypeOf<ToolSearchResult>({
        query: stringType,
        confidence: numberType,
        none: optionalField(stringType),
        found: arrayTypeOf(objectTypeOf<ToolMatch>(toolMatchFields)),
        passedOver: arrayTypeOf(
          objectTypeOf<ToolMatch & { why: string }>({ ...toolMatchFields, why: stringType }),
        ),
        wishes: arrayTypeOf(
          objectTypeOf<ToolSearchResult["wishes"][number]>({ text: stringType, tools: stringListType }),
        ),
      }),
    ),
  }),
  ToolCopies: objectTypeOf<ToolCopies>({ code: stringType, commandLine: stringType, mcp: anyType }),
  ToolDetail: objectTypeOf<ToolDetail>({
    line: schemaRef("ToolLine"),
    signature: optionalField(stringType),
    input: anyType,
    output: optionalField(anyType),
    timeoutMs: optionalField(numberType),
    maxCost: optionalField(numberType),
    meta: optionalField(recordType),
    definition: stringType,
    implementation: stringType,
    layers: stringListType,
    shadows: stringListType,
    shadowedBy: optionalField(stringType),
    formats: arrayTypeOf(
      objectTypeOf<ToolFormat>({
        format: stringType,
        spelled: anyType,
        losses: arrayTypeOf(
          objectTypeOf<ToolFormat["losses"][number]>({
            pointer: stringType,
            message: stringType,
            kind: optionalField(stringType),
          }),
        ),
      }),
    ),
    copy: schemaRef("ToolCopies"),
    figures: objectTypeOf<ToolDetail["figures"]>({ ...figureFields, failures: failuresByCode }),
    recent: arrayTypeOf(
      objectTypeOf<ToolDetail["recent"][number]>({
        entryId: stringType,
        at: timeType,
        durationMs: optionalField(numberType),
        ending: stringType,
      }),
    ),
    app: optionalField(objectTypeOf<NonNullable<ToolDetail["app"]>>({ server: stringType, uri: stringType })),
  }),
  ToolCallResult: objectTypeOf<ToolCallResult>({
    ok: booleanType,
    content: schemaRef("Text"),
    value: optionalField(anyType),
    entryId: optionalField(stringType),
    code: optionalField(stringType),
    pending: optionalField(stringType),
    media: arrayTypeOf(
      objectTypeOf<ToolCallResult["media"][number]>({
        kind: stringType,
        mediaType: stringType,
        data: optionalField(stringType),
        url: optionalField(stringType),
        name: optionalField(stringType),
      }),
    ),
    caller: schemaRef("Caller"),
    app: optionalField(schemaRef("AppView")),
  }),
  Validation: objectTypeOf<Validation>({
    ok: booleanType,
    findings: arrayTypeOf(schemaRef("Finding")),
    value: optionalField(anyType),
    copy: schemaRef("ToolCopies"),
  }),
  Rights: objectTypeOf<Rights>({
    principals: arrayTypeOf(
      objectTypeOf<NamedPrincipal>({
        id: stringType,
        caller: schemaRef("Caller"),
        from: enumTypeOf("signed-in", "runtime", "configuration", "ledger"),
        lastSeenAt: optionalField(timeType),
      }),
    ),
    tools: stringListType,
    isCut: booleanType,
    cells: arrayTypeOf(arrayTypeOf(objectTypeOf<Right>(rightFields))),
  }),
  RightExplained: objectTypeOf<RightExplained>({
    ...rightFields,
    tool: stringType,
    caller: schemaRef("Caller"),
    text: stringType,
    findings: arrayTypeOf(schemaRef("Finding")),
    rules: arrayTypeOf(
      objectTypeOf<ExplainedRule>({
        id: stringType,
        effect: rightEffect,
        state: enumTypeOf(
          "decides",
          "would-decide",
          "agrees",
          "overruled",
          "not-enough",
          "unmet",
          "other-tools",
          "other-callers",
        ),
        concerns: booleanType,
        covers: booleanType,
        met: optionalField(booleanType),
        unmet: stringListType,
        conditions: arrayTypeOf(
          objectTypeOf<ExplainedRule["conditions"][number]>({
            field: stringType,
            words: stringType,
            met: optionalField(booleanType),
          }),
        ),
        overruledBy: stringListType,
        why: optionalField(stringType),
      }),
    ),
    links: arrayTypeOf(
      objectTypeOf<RightExplained["links"][number]>({
        agent: stringType,
        user: optionalField(stringType),
        tenant: optionalField(stringType),
        effect: rightEffect,
        reason: stringType,
        rights: arrayTypeOf(
          objectTypeOf<RightExplained["links"][number]["rights"][number]>({
            who: stringType,
            refusal: optionalField(stringType),
          }),
        ),
      }),
    ),
  }),
};
