import type { Principal } from "../../types/principal.ts";
import type { BackendSearch, GatewayBackend } from "./gateway-backend.ts";

/** Lets clients stay connected when the runtime is replaced. */
export interface SwappableBackend {
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
