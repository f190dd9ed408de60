import type { JsonSchema } from "../../words/json.ts";
import type { CallFigures } from "../words/overview.ts";
import type { ExplainedRule, NamedPrincipal, Right, RightExplained, Rights } from "../words/rights.ts";
import type { Page } from "../words/shared.ts";
import type {
  Catalog,
  FoundLine,
  ToolCallResult,
  ToolCopies,
  ToolDetail,
  ToolFormat,
  ToolLine,
  ToolSearchResult,
  Validation,
} from "../words/tools.ts";
import {
  any,
  type Fields,
  flag,
  integer,
  list,
  may,
  number,
  object,
  oneOf,
  record,
  ref,
  text,
  texts,
  time,
} from "./shape.ts";

const rightEffect = oneOf("allow", "approve", "deny", "unknown");
const failuresByCode = list(object<{ code: string; count: number }>({ code: text, count: integer }));

const page = <Item>(items: JsonSchema): Fields<Page<Item>> => ({
  items: list(items),
  isCut: flag,
  next: may(text),
  previous: may(text),
  total: may(ref("Count")),
});

const figures: Fields<CallFigures> = {
  calls: ref("Count"),
  failed: ref("Count"),
  p50: may(number),
  p95: may(number),
  cost: may(number),
};

const right: Fields<Right> = {
  effect: rightEffect,
  reason: text,
  ruleIds: texts,
  depends: list(oneOf("arguments", "untrusted-words", "repairs", "spending", "unknown")),
};

const found: Fields<FoundLine> = {
  key: text,
  score: number,
  reason: text,
  terms: list(object<FoundLine["terms"][number]>({ term: text, place: text, for: may(text) })),
  evidence: { type: "object", additionalProperties: number },
};

/** Answers about tools and rights, by their names in the document. */
export const toolsSchemas: Readonly<Record<string, JsonSchema>> = {
  ToolLine: object<ToolLine>({
    key: text,
    name: text,
    description: text,
    title: may(text),
    origin: text,
    source: text,
    category: text,
    risk: text,
    tags: texts,
    requiresApproval: flag,
    readOnly: flag,
    idempotent: flag,
    destructive: flag,
    openWorld: flag,
    wireName: text,
    server: may(text),
    heldBack: may(text),
  }),
  Catalog: object<Catalog>({
    ...page<ToolLine>(ref("ToolLine")),
    search: may(
      object<ToolSearchResult>({
        query: text,
        confidence: number,
        none: may(text),
        found: list(object<FoundLine>(found)),
        passedOver: list(object<FoundLine & { why: string }>({ ...found, why: text })),
        wishes: list(object<ToolSearchResult["wishes"][number]>({ text, tools: texts })),
      }),
    ),
  }),
  ToolCopies: object<ToolCopies>({ code: text, commandLine: text, mcp: any }),
  ToolDetail: object<ToolDetail>({
    line: ref("ToolLine"),
    signature: may(text),
    input: any,
    output: may(any),
    timeoutMs: may(number),
    maxCost: may(number),
    meta: may(record),
    definition: text,
    implementation: text,
    layers: texts,
    shadows: texts,
    shadowedBy: may(text),
    formats: list(
      object<ToolFormat>({
        format: text,
        spelled: any,
        losses: list(object<ToolFormat["losses"][number]>({ pointer: text, message: text, kind: may(text) })),
      }),
    ),
    copy: ref("ToolCopies"),
    figures: object<ToolDetail["figures"]>({ ...figures, failures: failuresByCode }),
    recent: list(
      object<ToolDetail["recent"][number]>({
        entryId: text,
        at: time,
        durationMs: may(number),
        ending: text,
      }),
    ),
    app: may(object<NonNullable<ToolDetail["app"]>>({ server: text, uri: text })),
  }),
  ToolCallResult: object<ToolCallResult>({
    ok: flag,
    content: ref("Text"),
    value: may(any),
    entryId: may(text),
    code: may(text),
    pending: may(text),
    media: list(
      object<ToolCallResult["media"][number]>({
        kind: text,
        mediaType: text,
        data: may(text),
        url: may(text),
        name: may(text),
      }),
    ),
    caller: ref("Caller"),
    app: may(ref("AppView")),
  }),
  Validation: object<Validation>({
    ok: flag,
    findings: list(ref("Finding")),
    value: may(any),
    copy: ref("ToolCopies"),
  }),
  Rights: object<Rights>({
    principals: list(
      object<NamedPrincipal>({
        id: text,
        caller: ref("Caller"),
        from: oneOf("signed-in", "runtime", "configuration", "ledger"),
        lastSeenAt: may(time),
      }),
    ),
    tools: texts,
    isCut: flag,
    cells: list(list(object<Right>(right))),
  }),
  RightExplained: object<RightExplained>({
    ...right,
    tool: text,
    caller: ref("Caller"),
    text,
    findings: list(ref("Finding")),
    rules: list(
      object<ExplainedRule>({
        id: text,
        effect: rightEffect,
        state: oneOf(
          "decides",
          "would-decide",
          "agrees",
          "overruled",
          "not-enough",
          "unmet",
          "other-tools",
          "other-callers",
        ),
        concerns: flag,
        covers: flag,
        met: may(flag),
        unmet: texts,
        conditions: list(
          object<ExplainedRule["conditions"][number]>({ field: text, words: text, met: may(flag) }),
        ),
        overruledBy: texts,
        why: may(text),
      }),
    ),
    links: list(
      object<RightExplained["links"][number]>({
        agent: text,
        user: may(text),
        tenant: may(text),
        effect: rightEffect,
        reason: text,
        rights: list(
          object<RightExplained["links"][number]["rights"][number]>({ who: text, refusal: may(text) }),
        ),
      }),
    ),
  }),
};
