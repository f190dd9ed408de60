import type * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import type { Credentials, CredentialsOptions } from "../base/credentials/credentials.ts";
import type { HttpEgress } from "../base/http/http-egress.ts";
import type { HttpEgressOptions } from "../base/http/open-http-egress.ts";
import type { Tools as CalledTools } from "../pipeline/tools-service.ts";
import type { Policy, PolicyEngine } from "../policy/engine.ts";
import type { PolicyOptions } from "../policy/options.ts";
import type { Registry } from "../registry/tool-registry.ts";
import type { Workspace } from "../registry/workspace.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import type { SkillName } from "../sandbox/skills/skill-names.ts";
import { type ToolOrClass, toTool } from "../tools/decorator.ts";
import type { ServicesOf } from "../tools/tool-definition.ts";
import type { ApprovalDecision, ApprovalRequest } from "../types/approval.ts";
import type { EventName, Listener } from "../types/event.ts";
import type { Fleet } from "../types/fleet.ts";
import type { LedgerStore } from "../types/ledger.ts";
import type { Model } from "../types/model.ts";
import type { Principal } from "../types/principal.ts";
import type { AnyTool, ToolLayer } from "../types/tool.ts";
import type { WebhookOptions } from "./approval-webhook.ts";
import type { ConfigInput } from "./config.ts";
import type { McpOptions } from "./mcp-options.ts";

type OptionalDecision = ApprovalDecision | undefined;

/** Requests an approval. Without an answer the call is pending until `resume`. */
export type ApprovalHandler = (
  request: ApprovalRequest,
) => OptionalDecision | Promise<OptionalDecision> | Effect.Effect<OptionalDecision>;

export const toTools = (tools: readonly ToolOrClass[]): readonly AnyTool[] =>
  tools.map((each) => toTool(each) ?? (each as AnyTool));

export type EventListeners = { readonly [Name in EventName]?: Listener<Name> };

/** Options of approval requests. */
export interface ApprovalOptions {
  /** Lifetime of a request in milliseconds. Unless set: one day. */
  readonly expireAfterMs?: number;
  /** Receives each request, signed. Unless set: none. */
  readonly webhook?: WebhookOptions;
}

/** Options of `Haft.open`; all are optional. Without a principal no tool can be used. */
export interface HaftOptions<
  Tools extends readonly ToolOrClass[] = readonly ToolOrClass[],
  Provided = never,
  Env = unknown,
> {
  /** Tools of the runtime; the principal and policy decide who may use them. Unless set: none. */
  readonly tools?: Tools;
  /**
   * Names of built-in tools, such as "file-read" and "http-get", limited by `config.skills`. Unless set:
   * `config.builtinTools`.
   */
  readonly skills?: readonly SkillName[];
  /**
   * Tools by namespace, from `workspace()`. For equal names, project overrides org, and org overrides
   * `tools`. Unless set: none.
   */
  readonly project?: Workspace;
  /** Like `project`, for an organization. Unless set: none. */
  readonly org?: Workspace | { readonly name: string; readonly workspace: Workspace };
  /** Services that Effect tools require. Unless set: none. */
  readonly services?: Layer.Layer<Provided, unknown>;
  /** Layers around every tool call, outside those of runs, agents and tools. Unless set: none. */
  readonly layers?: readonly ToolLayer<Env>[];
  /**
   * Rules, permissions and toolkits, or an engine such as `cedarPolicy`. They only restrict principals.
   * Unless set: no rules.
   */
  readonly policy?: PolicyOptions | PolicyEngine;
  /** The ledger: `sqlite:./haft.db`, `postgres://…` or a LedgerStore. Unless set: in memory. */
  readonly ledger?: "memory" | (string & {}) | LedgerStore;
  /** The default caller; `haft.as` returns the runtime for another. Unless set: none. */
  readonly principal?: Principal;
  /** Answers approval requests. Unless set: calls wait in a durable ledger, and are refused without one. */
  readonly approver?: ApprovalHandler;
  /** Lifetime and webhook of approval requests. Unless set: one day, no webhook. */
  readonly approvals?: ApprovalOptions;
  /** Default model of agents and of repair: a model, or `provider/model-id`. Unless set: none. */
  readonly model?: Model | string;
  /** Sources of secrets and tokens. Values that were read are masked in all output. Unless set: none. */
  readonly credentials?: CredentialsOptions;
  /** MCP servers whose tools are imported, and how their tools are reviewed. Unless set: none. */
  readonly mcp?: McpOptions;
  /** Addresses and limits of HTTP tools. Unless set: public addresses only. */
  readonly httpEgress?: HttpEgressOptions;
  /**
   * Enables `haft.submit`, and limits across processes: `fleet()` of `haft/fleet`, with a PostgreSQL
   * ledger. Unless set: none.
   */
  readonly fleet?: Fleet;
  /** Settings, or the path of a JSON file. Unless set: the defaults below. */
  readonly config?: ConfigInput | string;
  /** Listeners that also receive events while the runtime opens. Unless set: none. */
  readonly on?: EventListeners;
  /** Available as `call.env` in layers and `ctx.env` in tools. Unless set: undefined. */
  readonly env?: Env;
}

/** Requirements of dynamically created tools are unknown to the compiler and fail at the call. */
export type KnownRequirement<Requirement> = unknown extends Requirement ? never : Requirement;

type SourceServices<Source> = Source extends { readonly toolboxes: unknown; readonly requires?: infer R }
  ? KnownRequirement<Exclude<R, undefined>>
  : Source extends { readonly workspace: infer Inner }
    ? SourceServices<Inner>
    : never;

export type BuiltInServices = HttpEgress | Credentials | Sandboxes | CalledTools | Registry | Policy;

export type MissingServices<Tools extends readonly ToolOrClass[], Provided, Sources = never> = Exclude<
  KnownRequirement<ServicesOf<Tools[number]>> | SourceServices<Sources>,
  Provided | BuiltInServices
>;

/** Does not compile while a tool's service is missing; the error names the service. */
export type RequireAllServices<Tools extends readonly ToolOrClass[], Provided, Sources = never> = [
  MissingServices<Tools, Provided, Sources>,
] extends [never]
  ? unknown
  : { readonly services: { readonly missing: MissingServices<Tools, Provided, Sources> } };
