import type { HttpMethod } from "../../base/http/http-egress.ts";
import { checkFields } from "../../base/json/check-fields.ts";
import type { ToolOverrides } from "../import-tool.ts";
import { lookalikeOf } from "../tool-name.ts";
import type { ParsedOperation, ReportLoss } from "./operation.ts";
import { boundedText } from "./schema/keywords.ts";

/** Overrides what the document and the method imply for one operation. */
export interface OperationOverride extends ToolOverrides {
  readonly name?: string;
  readonly description?: string;
  /** The media type of the body, from those in the document. */
  readonly mediaType?: string;
}

/** By the semantics of HTTP methods. */
const defaultsByMethod: Readonly<Record<HttpMethod, Required<Pick<ToolOverrides, "risk" | "annotations">>>> =
  {
    GET: { risk: "low", annotations: { readOnly: true, openWorld: true } },
    HEAD: { risk: "low", annotations: { readOnly: true, openWorld: true } },
    OPTIONS: { risk: "low", annotations: { readOnly: true, openWorld: true } },
    POST: { risk: "medium", annotations: { openWorld: true } },
    PATCH: { risk: "medium", annotations: { openWorld: true } },
    PUT: { risk: "medium", annotations: { idempotent: true, openWorld: true } },
    DELETE: { risk: "high", annotations: { idempotent: true, destructive: true, openWorld: true } },
  };

const maxDescriptionLength = 1_024;

export const describeOperation = (
  operation: ParsedOperation,
  override: OperationOverride,
  reportLoss: ReportLoss,
) => {
  const { method, summary, description, label, deprecated, tags, pointer } = operation;
  const { name: _, mediaType: _type, description: instead, ...about } = override;
  const { risk, annotations } = defaultsByMethod[method];
  // Policies trust this tag, so a document cannot set it.
  const seen = tags.map((tag) => boundedText(tag, 100)).filter((tag) => tag !== undefined);
  const own = seen.filter((tag) => !isTrusted(tag));
  if (own.length < seen.length)
    reportLoss(`${pointer}/tags`, 'The tag "trusted" is ignored: a document cannot declare itself trusted.');
  const texts = [summary, description]
    .map((text) => boundedText(text, maxDescriptionLength))
    .filter((text) => text !== undefined);
  const sentences = texts.length === 2 && texts[1]!.startsWith(texts[0]!) ? texts.slice(1) : texts;
  const whole = [
    ...(deprecated ? ["Deprecated."] : []),
    ...(sentences.length === 0 ? [label] : sentences),
  ].join(" ");
  return {
    risk,
    tags: [...new Set(own)],
    category: "http",
    source: "http",
    ...about,
    annotations: { ...annotations, ...about.annotations },
    description: instead ?? boundedText(whole, maxDescriptionLength) ?? label,
  } as const;
};

/** Ignores case, separators and lookalike characters. */
const isTrusted = (tag: string): boolean =>
  [...tag.normalize("NFKC")]
    .map((character) => lookalikeOf(character) ?? character)
    .join("")
    .toLowerCase()
    .replace(/[\s_-]+/g, "") === "trusted";

const overrideFields = [
  "name",
  "description",
  "mediaType",
  "risk",
  "annotations",
  "tags",
  "requiresApproval",
  "timeout",
  "maxCost",
  "category",
  "layers",
  "key",
  "reconcile",
];

export const checkOverride = (override: OperationOverride, label: string): OperationOverride => {
  checkFields(`The override of ${label}`, override, overrideFields);
  return override;
};
