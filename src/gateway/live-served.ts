import type { Principal } from "../words/principal.ts";
import type { Served, ServedSearch } from "./served.ts";

/** What is served now. Clients stay connected while another runtime takes its place. */
export interface LiveServed {
  readonly served: Served;
  /** From now on this one answers; clients are told that its tools may differ. */
  readonly swap: (next: Served, principal: Principal) => void;
  /** One that was replaced has answered its last call. */
  readonly leave: (before: Served) => void;
}

type NewsEvent = Parameters<Parameters<Served["onNews"]>[0]>;
type ProgressEvent = Parameters<Parameters<Served["onProgress"]>[0]>;

/** `own` is whoever need not say who he is: what he may is up to the configuration that counts now. */
export const liveServed = (first: Served, own: Principal): LiveServed => {
  let current = first;
  let ownNow = own;
  const now = (principal: Principal): Principal => (principal === own ? ownNow : principal);
  const newsListeners = new Set<(...news: NewsEvent) => void>();
  const progressListeners = new Set<(...progress: ProgressEvent) => void>();
  const tellNews = (...news: NewsEvent): void => {
    for (const listener of newsListeners) listener(...news);
  };
  const tellProgress = (...progress: ProgressEvent): void => {
    for (const listener of progressListeners) listener(...progress);
  };
  // A runtime that was replaced is still heard, and its secrets are still secret: calls that it began go on.
  const followed = new Map<Served, readonly (() => void)[]>();
  const follow = (served: Served): void => {
    followed.set(served, [served.onNews(tellNews), served.onProgress(tellProgress)]);
  };
  const join = <Listener>(all: Set<Listener>, listener: Listener): (() => void) => {
    all.add(listener);
    return () => {
      all.delete(listener);
    };
  };
  follow(first);
  return {
    served: {
      get info() {
        return current.info;
      },
      get instructions() {
        return current.instructions;
      },
      tools: (principal, options) => current.tools(now(principal), options),
      get search(): ServedSearch | undefined {
        const { search } = current;
        return search && { shown: (principal, options) => search.shown(now(principal), options) };
      },
      listedName: (name) => current.listedName?.(name) ?? name,
      isRemote: (name) => current.isRemote?.(name) === true,
      ready: () => current.ready?.(),
      call: (call) => current.call({ ...call, principal: now(call.principal) }),
      resume: (id, decision, call) =>
        current.resume(id, decision, { ...call, principal: now(call.principal) }),
      isWaiting: async (request) =>
        (await current.isWaiting?.({ ...request, principal: now(request.principal) })) === true,
      get isAnswered() {
        return current.isAnswered;
      },
      recorded: async (callId, principal) =>
        (await current.recorded?.(callId, now(principal))) ?? { kind: "none" },
      servers: (principal) => current.servers(now(principal)),
      uiOwner: (uri) => current.uiOwner?.(uri),
      onProgress: (listener) => join(progressListeners, listener),
      heard: (tools, by) => current.heard(tools, { ...by, principal: now(by.principal) }),
      onNews: (listener) => join(newsListeners, listener),
      redact: (text) => {
        let masked = text;
        for (const { redact } of followed.keys()) masked = redact(masked);
        return masked;
      },
    },
    leave: (before) => {
      for (const stop of followed.get(before) ?? []) stop();
      followed.delete(before);
    },
    swap: (next, principal) => {
      current = next;
      ownNow = principal;
      follow(next);
      for (const kind of ["tools-changed", "prompts-changed", "resources-changed"] as const) {
        tellNews({ kind }, undefined);
      }
    },
  };
};
