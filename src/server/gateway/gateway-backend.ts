import type { UsableUpstream } from "../../mcp/client/servers/caller-sessions.ts";
import type { McpTool } from "../../models/dialects/mcp/to-mcp.ts";
import type { ApprovalDecision } from "../../types/approval.ts";
import type { IncomingTrace } from "../../types/call.ts";
import type { McpCaller, McpSessionNotification } from "../../types/mcp.ts";
import type { Reply } from "../../types/outcome.ts";
import type { Principal } from "../../types/principal.ts";
import type { LoadedTools } from "./search/short-list.ts";

export interface BackendCall {
  /** Unique in this process. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly principal: Principal;
  readonly caller: McpCaller;
  readonly signal: AbortSignal;
  readonly idempotencyKey?: string;
  readonly conversation?: string;
  /** Trace of the message or of its HTTP request. */
  readonly correlationId?: string;
  readonly trace?: IncomingTrace;
  readonly loaded?: LoadedTools;
}

export type BackendProgressListener = (callId: string, update: unknown, taints: readonly string[]) => void;

export type UpstreamServer = Omit<UsableUpstream, "keys">;

export interface ListingOptions {
  /** Lists tools for apps too. */
  readonly showsApps?: boolean;
}

export interface SearchListingOptions extends ListingOptions {
  readonly loaded: LoadedTools | undefined;
}

export interface BackendSearch {
  readonly shown: (principal: Principal, options: SearchListingOptions) => readonly McpTool[];
}

/** What a gateway serves. */
export interface GatewayBackend {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string };
  readonly instructions?: string;
  /** In a stable order. */
  readonly tools: (principal: Principal, options?: ListingOptions) => readonly McpTool[];
  readonly search?: BackendSearch | undefined;
  /** Maps any name of a tool to its listed name. */
  readonly listedName?: (name: string) => string;
  /** Waits for servers that start for the first time. */
  readonly ready?: () => Promise<void> | undefined;
  /** The tool's value is the upstream server's raw result. */
  readonly isRemote?: (name: string) => boolean;
  /** Never rejects. */
  readonly call: (call: BackendCall) => Promise<Reply>;
  readonly isWaiting?: (request: Pick<BackendCall, "principal" | "tool" | "input">) => Promise<boolean>;
  /** By any process. */
  readonly isAnswered?: ((approvalId: string) => Promise<boolean>) | undefined;
  readonly resume: (
    approvalId: string,
    decision: ApprovalDecision,
    call: Pick<BackendCall, "principal" | "caller" | "signal" | "conversation" | "trace"> & {
      readonly by: string;
      /** Default: that of the pending call. */
      readonly id?: string;
      /** As the client wrote it. */
      readonly tool?: string | undefined;
    },
  ) => Promise<Reply>;
  readonly servers: (principal: Principal) => readonly UpstreamServer[];
  /** ID of the server with this app URI. */
  readonly uiOwner?: (uri: string) => string | undefined;
  /** False declares only tools. */
  readonly passesOn?: boolean;
  readonly onProgress: (listener: BackendProgressListener) => () => void;
  /** Content of these tools is about to reach the client. */
  readonly onContentForwarded: (
    tools: readonly string[],
    by: Pick<BackendCall, "principal" | "conversation">,
  ) => void;
  readonly onChange: (
    listener: (news: McpSessionNotification, serverId: string | undefined) => void,
  ) => () => void;
  /** Masks known secrets. */
  readonly redact: (text: string) => string;
}

/** Lets clients stay connected when the runtime is replaced. */
interface SwappableBackend {
  readonly served: GatewayBackend;
  readonly swap: (next: GatewayBackend, principal: Principal) => void;
  /** The replaced backend has no calls left. */
  readonly release: (before: GatewayBackend) => void;
}

type NotificationArguments = Parameters<Parameters<GatewayBackend["onChange"]>[0]>;
type ProgressArguments = Parameters<Parameters<GatewayBackend["onProgress"]>[0]>;

/** `defaultPrincipal` is mapped to the current configuration's default principal. */
export const swappableBackend = (first: GatewayBackend, defaultPrincipal: Principal): SwappableBackend => {
  let current = first;
  let currentDefaultPrincipal = defaultPrincipal;
  const currentPrincipal = (principal: Principal): Principal =>
    principal === defaultPrincipal ? currentDefaultPrincipal : principal;
  const newsListeners = new Set<(...news: NotificationArguments) => void>();
  const progressListeners = new Set<(...progress: ProgressArguments) => void>();
  const emitNotification = (...news: NotificationArguments): void => {
    for (const listener of newsListeners) listener(...news);
  };
  const emitProgress = (...progress: ProgressArguments): void => {
    for (const listener of progressListeners) listener(...progress);
  };
  // Replaced backends stay subscribed, and their secrets masked, until their calls end.
  const subscriptionsOf = new Map<GatewayBackend, readonly (() => void)[]>();
  const subscribeTo = (served: GatewayBackend): void => {
    subscriptionsOf.set(served, [served.onChange(emitNotification), served.onProgress(emitProgress)]);
  };
  const addListener = <Listener>(all: Set<Listener>, listener: Listener): (() => void) => {
    all.add(listener);
    return () => {
      all.delete(listener);
    };
  };
  subscribeTo(first);
  return {
    served: {
      get info() {
        return current.info;
      },
      get instructions() {
        return current.instructions;
      },
      tools: (principal, options) => current.tools(currentPrincipal(principal), options),
      get search(): BackendSearch | undefined {
        const { search } = current;
        return (
          search && { shown: (principal, options) => search.shown(currentPrincipal(principal), options) }
        );
      },
      listedName: (name) => current.listedName?.(name) ?? name,
      isRemote: (name) => current.isRemote?.(name) === true,
      ready: () => current.ready?.(),
      call: (call) => current.call({ ...call, principal: currentPrincipal(call.principal) }),
      resume: (id, decision, call) =>
        current.resume(id, decision, { ...call, principal: currentPrincipal(call.principal) }),
      isWaiting: async (request) =>
        (await current.isWaiting?.({ ...request, principal: currentPrincipal(request.principal) })) === true,
      get isAnswered() {
        return current.isAnswered;
      },
      servers: (principal) => current.servers(currentPrincipal(principal)),
      uiOwner: (uri) => current.uiOwner?.(uri),
      onProgress: (listener) => addListener(progressListeners, listener),
      onContentForwarded: (tools, by) =>
        current.onContentForwarded(tools, { ...by, principal: currentPrincipal(by.principal) }),
      onChange: (listener) => addListener(newsListeners, listener),
      redact: (text) => {
        let masked = text;
        for (const { redact } of subscriptionsOf.keys()) masked = redact(masked);
        return masked;
      },
    },
    release: (before) => {
      for (const stop of subscriptionsOf.get(before) ?? []) stop();
      subscriptionsOf.delete(before);
    },
    swap: (next, principal) => {
      current = next;
      currentDefaultPrincipal = principal;
      subscribeTo(next);
      for (const kind of ["tools-changed", "prompts-changed", "resources-changed"] as const) {
        emitNotification({ kind }, undefined);
      }
    },
  };
};
