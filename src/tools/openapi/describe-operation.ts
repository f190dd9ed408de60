import type { HttpMethod } from "../../http/outside.ts";
import { checkFields } from "../../json/check-fields.ts";
import { lookAlikeOf } from "../../tool/look-alike.ts";
import type { AboutTool } from "../foreign-tool.ts";
import type { NoteLoss } from "./losses.ts";
import type { ReadOperation } from "./operation.ts";
import { toText } from "./schema/keywords.ts";

/** What is said about one operation in place of what its document says or its method means. */
export interface OperationOverride extends AboutTool {
  readonly name?: string;
  readonly description?: string;
  /** The media type of the body, of those that the document has. */
  readonly mediaType?: string;
}

/** By what HTTP says of a method: asking changes nothing, and putting or deleting twice is the same as once. */
const byMethod: Readonly<Record<HttpMethod, Required<Pick<AboutTool, "risk" | "annotations">>>> = {
  GET: { risk: "low", annotations: { readOnly: true, openWorld: true } },
  HEAD: { risk: "low", annotations: { readOnly: true, openWorld: true } },
  OPTIONS: { risk: "low", annotations: { readOnly: true, openWorld: true } },
  POST: { risk: "medium", annotations: { openWorld: true } },
  PATCH: { risk: "medium", annotations: { openWorld: true } },
  PUT: { risk: "medium", annotations: { idempotent: true, openWorld: true } },
  DELETE: { risk: "high", annotations: { idempotent: true, destructive: true, openWorld: true } },
};

const longest = 1_024;

/** What a model and a policy are told of an operation. */
export const aboutOperation = (operation: ReadOperation, override: OperationOverride, note: NoteLoss) => {
  const { method, summary, description, label, deprecated, tags, pointer } = operation;
  const { name: _, mediaType: _type, description: instead, ...about } = override;
  const { risk, annotations } = byMethod[method];
  // A document must not vouch for itself: to policy, `trusted` is the word of whoever runs it.
  const seen = tags.map((tag) => toText(tag, 100)).filter((tag) => tag !== undefined);
  const own = seen.filter((tag) => !isTrusted(tag));
  if (own.length < seen.length)
    note(`${pointer}/tags`, 'The tag "trusted" is not carried: a document cannot vouch for itself.');
  const texts = [summary, description]
    .map((text) => toText(text, longest))
    .filter((text) => text !== undefined);
  const said = texts.length === 2 && texts[1]!.startsWith(texts[0]!) ? texts.slice(1) : texts;
  const whole = [...(deprecated ? ["Deprecated."] : []), ...(said.length === 0 ? [label] : said)].join(" ");
  return {
    risk,
    tags: [...new Set(own)],
    category: "http",
    source: "http",
    ...about,
    annotations: { ...annotations, ...about.annotations },
    description: instead ?? toText(whole, longest) ?? label,
  } as const;
};

/** However it is spelled: what looks like the word is read as the word. */
const isTrusted = (tag: string): boolean =>
  [...tag.normalize("NFKC")]
    .map((character) => lookAlikeOf(character) ?? character)
    .join("")
    .toLowerCase()
    .replace(/[\s_-]+/g, "") === "trusted";

const fields = [
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
];

export const checkOverride = (override: OperationOverride, label: string): OperationOverride => {
  checkFields(`The override of ${label}`, override, fields);
  return override;
};
