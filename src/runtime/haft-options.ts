import type * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import type { Credentials, CredentialsOptions } from "../base/credentials/credentials.ts";
import type { HttpEgress } from "../base/http/http-egress.ts";
import type { HttpEgressOptions } from "../base/http/open-http-egress.ts";
import type { Tools as CalledTools } from "../pipeline/tools-service.ts";
import type { Policy } from "../policy/engine.ts";
import type { PolicyEngine, PolicyOptions } from "../policy/policy.ts";
import type { Registry } from "../registry/tool-registry.ts";
import type { Workspace } from "../registry/workspace.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import type { SkillName } from "../sandbox/skills/skill-names.ts";
import { type ToolOrClass, toTool } from "../tools/decorator.ts";
import type { ServicesOf } from "../tools/services-of.ts";
import type { ApprovalDecision, ApprovalRequest } from "../types/approval.ts";
import type { EventName, Listener } from "../types/event.ts";
import type { Fleet } from "../types/fleet.ts";
import type { ToolLayer } from "../types/layer.ts";
import type { LedgerStore } from "../types/ledger.ts";
import type { Model } from "../types/model.ts";
import type { Principal } from "../types/principal.ts";
import type { AnyTool } from "../types/tool.ts";
import type { WebhookOptions } from "./approval-webhook.ts";
import type { ConfigInput } from "./config.ts";
import type { McpOptions } from "./mcp-options.ts";

type OptionalDecision = ApprovalDecision | undefined;

/** Asks a person, at once or later: without an answer the call is pending until `resume`. */
export type ApprovalHandler = (
  request: ApprovalRequest,
) => OptionalDecision | Promise<OptionalDecision> | Effect.Effect<OptionalDecision>;

export const toTools = (tools: readonly ToolOrClass[]): readonly AnyTool[] =>
  tools.map((each) => toTool(each) ?? (each as AnyTool));

/** One listener for each event that somebody wants to hear. */
export type EventListeners = { readonly [Name in EventName]?: Listener<Name> };

/** How approval requests are kept and announced. */
export interface ApprovalOptions {
  /** How long a request can be answered, in milliseconds. Unless set: a day. */
  readonly expireAfterMs?: number;
  /** Is told of each request, signed. Unless set: none. */
  readonly webhook?: WebhookOptions;
}

/** Everything is optional. Without a principal nobody is calling, and nobody may use anything. */
export interface HaftOptions<
  Tools extends readonly ToolOrClass[] = readonly ToolOrClass[],
  Provided = never,
  Env = unknown,
> {
  /** Tools for every caller; who may use them is up to the principal and to policy. Unless set: none. */
  readonly tools?: Tools;
  /** Built-in tools by name, such as "file-read" and "http-get"; `config.skills` holds their limits. Unless set: those of `config.builtinTools`, which is empty unless set. */
  readonly skills?: readonly SkillName[];
  /** Tools by namespace, from `workspace()`. Of one name, project wins over org, and org over `tools`. Unless set: none. */
  readonly project?: Workspace;
  /** As `project`, for a whole organization. Unless set: none. */
  readonly org?: Workspace | { readonly name: string; readonly workspace: Workspace };
  /** What tools that are Effects require. Unless set: nothing. */
  readonly services?: Layer.Layer<Provided, unknown>;
  /** Around every tool call, outside of what runs, agents and tools bring. Unless set: none. */
  readonly layers?: readonly ToolLayer<Env>[];
  /** Rules, rights and toolkits, or an engine as `cedarPolicy` gives. It only narrows what principals may. Unless set: no rules. */
  readonly policy?: PolicyOptions | PolicyEngine;
  /** Where calls are written down: `sqlite:./haft.db`, `postgres://…` or a store of your own. Unless set: in memory. */
  readonly ledger?: "memory" | (string & {}) | LedgerStore;
  /** Who is calling unless a call names somebody else; `haft.as` gives the same runtime to another. Unless set: nobody. */
  readonly principal?: Principal;
  /** Asked when a call needs a person. Unless set: it waits in a durable ledger, else it is refused. */
  readonly approver?: ApprovalHandler;
  /** How long approval requests stay open, and a webhook that hears of each. Unless set: a day, and no webhook. */
  readonly approvals?: ApprovalOptions;
  /** For agents that name none, and for repair by a model: a model, or `provider/model-id`. Unless set: none. */
  readonly model?: Model | string;
  /** Where tools find secrets and tokens by name. What was handed out is masked wherever it is written. Unless set: there are none. */
  readonly credentials?: CredentialsOptions;
  /** MCP servers whose tools are taken over, and how they are held to what was reviewed. Unless set: none. */
  readonly mcp?: McpOptions;
  /** What HTTP tools may reach besides public addresses, and within which limits. Unless set: public addresses only. */
  readonly httpEgress?: HttpEgressOptions;
  /** Lets `haft.submit` give runs to workers, and tools use pools and limits of all processes: `fleet()` of `haft/fleet`, with a ledger in PostgreSQL. Unless set: the process is on its own. */
  readonly fleet?: Fleet;
  /** Settings, or the path of a JSON file with them. Unless set: the defaults below. */
  readonly config?: ConfigInput | string;
  /** Listeners from the first tool on: what is registered while the runtime opens is told too. Unless set: `haft.on` adds them later. */
  readonly on?: EventListeners;
  /** What layers find in `call.env` and tools in `ctx.env`. Unless set: nothing. */
  readonly env?: Env;
}

/** Of what was put together at run time nobody knows what it requires: it shows when it is called. */
export type KnownRequirement<Requirement> = unknown extends Requirement ? never : Requirement;

/** What the tools of a workspace require, or of an organization's. */
type SourceServices<Source> = Source extends { readonly toolboxes: unknown; readonly requires?: infer R }
  ? KnownRequirement<Exclude<R, undefined>>
  : Source extends { readonly workspace: infer Inner }
    ? SourceServices<Inner>
    : never;

/** What the runtime itself has for the code of tools. */
export type BuiltInServices = HttpEgress | Credentials | Sandboxes | CalledTools | Registry | Policy;

/** What tools require and nobody provides. */
export type MissingServices<Tools extends readonly ToolOrClass[], Provided, Sources = never> = Exclude<
  KnownRequirement<ServicesOf<Tools[number]>> | SourceServices<Sources>,
  Provided | BuiltInServices
>;

/** Unsatisfiable while a tool needs a service that nobody provides; the error names it. */
export type RequireAllServices<Tools extends readonly ToolOrClass[], Provided, Sources = never> = [
  MissingServices<Tools, Provided, Sources>,
] extends [never]
  ? unknown
  : { readonly services: { readonly missing: MissingServices<Tools, Provided, Sources> } };
