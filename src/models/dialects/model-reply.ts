import { isObject } from "../../base/json/json-value.ts";
import type { RawCall } from "../../types/call.ts";
import { type ContentPart, markIncompleteCalls, type ProviderEcho } from "../../types/message.ts";
import type { FinishReason, ModelEvent, ModelReply, Usage } from "../../types/model.ts";
import type { OfferedTool } from "./exporter.ts";

export interface ReplyCollector {
  /** Returns the events that can be emitted immediately. */
  readonly push: (event: unknown) => readonly ModelEvent[];
  /** Undefined if the stream ended early. */
  readonly reply: () => ModelReply | undefined;
}

export const readField = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

export const toItems = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toTextOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

export const toCount = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

export const deltaOf = (kind: "text" | "reasoning", text: string): readonly ModelEvent[] =>
  text === "" ? [] : [{ kind, text }];

interface ReplyParts {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly usage: Usage;
  readonly finish: FinishReason;
  readonly parts?: readonly ContentPart[];
  readonly reasoning?: string;
  readonly echo?: ProviderEcho | undefined;
  /** Sources of untrusted content. */
  readonly taints: readonly string[];
}

/** A reply with calls finishes with `calls`, whatever the server says. */
export const toModelReply = (given: ReplyParts): ModelReply => {
  const { text, calls, usage, finish, parts = [], reasoning = "", echo, taints } = given;
  const isPlain = finish === "stop" || finish === "calls";
  const isCalling = calls.some((call) => call.providerExecuted !== true);
  // An empty list states that provider calls returned no untrusted content.
  const isJudged = taints.length > 0 || calls.some((call) => call.providerExecuted === true);
  return Object.freeze({
    text,
    calls: Object.freeze([...markIncompleteCalls(calls, finish)]),
    usage,
    finish: isPlain ? (isCalling ? "calls" : "stop") : finish,
    ...(parts.length === 0 ? {} : { parts: Object.freeze([...parts]) }),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(echo === undefined ? {} : { echo }),
    ...(isJudged ? { taints: Object.freeze([...new Set(taints)]) } : {}),
  });
};

const sourceMember =
  /citation|annotation|grounding|attribution|retriev|search_?result|url_?context|executed_?tool|^(context|documents?|references?|sources?|web_search)$/i;

/** Matched by name, because providers add such members without a new version. */
export const untrustedSourceNames = (value: unknown): readonly string[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, member]) =>
        sourceMember.test(name) && !isEmpty(member) ? [name] : [],
      )
    : [];

const isEmpty = (member: unknown): boolean => {
  if (member === null || member === undefined || member === false || member === "") return true;
  return typeof member === "object" && Object.keys(member).length === 0;
};

/** Providers choose the name, so its length is limited. */
export const sourceName = (name: unknown): string =>
  typeof name === "string" && name !== "" ? name.slice(0, 100) : "unknown_item";

/** `defer_loading` hides a tool until the provider's search finds it. */
export type DeferrableTool<Tool> = Tool & { readonly defer_loading?: true };

export const withProviderSearch = <Search, Tool extends { readonly name: string }>(
  search: Search,
  listed: readonly OfferedTool[],
  tools: readonly Tool[],
): readonly (Search | DeferrableTool<Tool>)[] => {
  const deferred = new Set(listed.flatMap((one) => (one.deferred === true ? [one.wireName] : [])));
  if (deferred.size === 0) return tools;
  return [
    search,
    ...tools.map((one) => (deferred.has(one.name) ? { ...one, defer_loading: true as const } : one)),
  ];
};

/** Undefined if the request has no provider search. */
export type SearchableNames = ReadonlySet<string> | undefined;

export const searchableNames = (listed: readonly OfferedTool[]): SearchableNames =>
  listed.some(({ deferred }) => deferred === true)
    ? new Set(listed.map(({ wireName }) => wireName))
    : undefined;

/** The first two groups of `version` are the numbers. */
export const isVersionAtLeast = (
  modelId: string,
  version: RegExp,
  [from, fromMinor]: readonly [number, number],
): boolean => {
  const [, major, minor = "0"] = version.exec(modelId) ?? [];
  if (major === undefined) return false;
  return Number(major) > from || (Number(major) === from && Number(minor) >= fromMinor);
};
