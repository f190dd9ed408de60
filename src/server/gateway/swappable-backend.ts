import type { Principal } from "../../types/principal.ts";
import type { BackendSearch, GatewayBackend } from "./gateway-backend.ts";

/** What is served now. Clients stay connected while another runtime takes its place. */
export interface SwappableBackend {
  readonly served: GatewayBackend;
  /** From now on this one answers; clients are told that its tools may differ. */
  readonly swap: (next: GatewayBackend, principal: Principal) => void;
  /** One that was replaced has answered its last call. */
  readonly leave: (before: GatewayBackend) => void;
}

type NotificationArguments = Parameters<Parameters<GatewayBackend["onNews"]>[0]>;
type ProgressArguments = Parameters<Parameters<GatewayBackend["onProgress"]>[0]>;

/** `own` is whoever need not say who he is: what he may is up to the configuration that counts now. */
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
  // A runtime that was replaced is still heard, and its secrets are still secret: calls that it began go on.
  const subscriptionsOf = new Map<GatewayBackend, readonly (() => void)[]>();
  const subscribeTo = (served: GatewayBackend): void => {
    subscriptionsOf.set(served, [served.onNews(emitNotification), served.onProgress(emitProgress)]);
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
      recorded: async (callId, principal) =>
        (await current.recorded?.(callId, currentPrincipal(principal))) ?? { kind: "none" },
      servers: (principal) => current.servers(currentPrincipal(principal)),
      uiOwner: (uri) => current.uiOwner?.(uri),
      onProgress: (listener) => addListener(progressListeners, listener),
      heard: (tools, by) => current.heard(tools, { ...by, principal: currentPrincipal(by.principal) }),
      onNews: (listener) => addListener(newsListeners, listener),
      redact: (text) => {
        let masked = text;
        for (const { redact } of subscriptionsOf.keys()) masked = redact(masked);
        return masked;
      },
    },
    leave: (before) => {
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
