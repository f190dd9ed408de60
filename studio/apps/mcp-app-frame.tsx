import type { AppPage, AppView } from "@api/apps.ts";
import { useQuery } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { api } from "../api/api.ts";
import { queries } from "../api/queries.ts";
import { Badge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { formatNumberOf } from "../components/time.tsx";
import { AppPromptPanel } from "./app-prompt-panel.tsx";
import { AppRequestError, type AppSession, createAppSession } from "./app-session.ts";
import { frameAddress, hasOtherHost } from "./frame-address.ts";
import { type AppPrompt, type AppPrompts, appPermission, useAppPrompts } from "./use-app-prompts.ts";

export const McpAppFrame = ({ view }: { readonly view: AppView }) => {
  const { data: me } = useQuery(queries.me());
  if (me === undefined) return null;
  const { appOrigin, version } = me;
  return (
    <section aria-label={markUnseen(`App of the server ${view.server}`)} className="app-frame mt-4">
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <Badge>MCP App</Badge>
        <span>{markUnseen(`of the server ${view.server}`)}</span>
        <ForeignText text={view.uri} isLine isCode className="min-w-0 text-soft" />
      </header>
      {appOrigin === undefined ? (
        <AppNote>
          This Studio cannot show Apps, because it has no origin for them. Start it with{" "}
          <code className="code">haft studio</code>, or serve <code className="code">appFrame</code> on a
          separate origin and set it as <code className="code">appOrigin</code>.
        </AppNote>
      ) : hasOtherHost(appOrigin, location.origin) ? (
        <LoadedApp view={view} appOrigin={appOrigin} version={version} />
      ) : (
        <AppNote>
          The origin for Apps, {markUnseen(appOrigin)}, has the same host name as this page, so Apps could
          access its cookies. Open the Studio with the link that it printed.
        </AppNote>
      )}
    </section>
  );
};

interface LoadedAppProps {
  readonly view: AppView;
  readonly appOrigin: string;
  readonly version: string;
}

const sandboxMethodPrefix = "ui/notifications/sandbox-";
const minHeight = 80;
const maxHeight = 800;
const initialHeight = 240;
const maxLogLines = 50;
/** Messages that bypass the frame are ignored; too many end the App. */
const maxBypassMessages = 100;
const teardownMs = 500;

const endMessages: Readonly<Record<string, string>> = {
  flood: "The App was closed because it sent too many messages.",
  left: "The App was closed because it navigated away from its page.",
  past: "The App was closed because it sent messages that bypass its frame.",
  again: "The App was closed because its frame was reloaded.",
  closed: "The App was closed.",
};

interface AppIframeProps {
  readonly view: AppView;
  readonly page: AppPage;
  readonly appOrigin: string;
  readonly version: string;
}

const AppIframe = ({ view, page, appOrigin, version }: AppIframeProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const session = useRef<AppSession>(undefined);
  const prompts = useAppPrompts();
  const { ask } = prompts;
  const [height, setHeight] = useState(initialHeight);
  const [ended, setEnded] = useState<string>();
  const [lines, setLines] = useState<readonly string[]>([]);
  const address = useMemo(
    () => frameAddress(appOrigin, location.origin, page.allowedOrigins),
    [appOrigin, page.allowedOrigins],
  );
  // Must run before the frame can send messages.
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const send = (message: object): void => element.contentWindow?.postMessage(message, appOrigin);
    const close = (): void =>
      void made.teardown(teardownMs).then(() => {
        setEnded("closed");
      });
    const made = createAppSession(send, {
      version,
      view,
      allowedOrigins: page.allowedOrigins,
      context: () => ({
        theme: resolveTheme(),
        displayMode: "inline",
        availableDisplayModes: ["inline"],
        containerDimensions: { width: element.clientWidth, maxHeight: maxHeight },
        locale: navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        userAgent: "haft-studio",
        platform: "web",
      }),
      ...serverRequests(view, page, ask),
      openLink: (url) => ask({ kind: "link", url: url.href }),
      takeMessage: (text) => ask({ kind: "message", text }),
      resize: (wanted) => setHeight(Math.min(maxHeight, Math.max(minHeight, Math.ceil(wanted)))),
      log: (text) => setLines((before) => [...before.slice(1 - maxLogLines), text]),
      close,
    });
    session.current = made;
    let isShown = false;
    let past = 0;
    const onMessage = ({ source, origin, data }: MessageEvent): void => {
      const window = element.contentWindow;
      if (window === null || source === null) return;
      if (source !== window) {
        // Windows inside a frame are accessible across origins.
        if (source === window[0] && ++past > maxBypassMessages) setEnded("past");
        return;
      }
      if (origin !== appOrigin) return;
      const { method, params } = (data ?? {}) as {
        readonly method?: unknown;
        readonly params?: { why?: unknown };
      };
      if (typeof method !== "string" || !method.startsWith(sandboxMethodPrefix)) made.receive(data);
      else if (method === `${sandboxMethodPrefix}ended`) setEnded(String(params?.why));
      else if (method === `${sandboxMethodPrefix}proxy-ready` && isShown) setEnded("again");
      else if (method === `${sandboxMethodPrefix}proxy-ready`) {
        isShown = true;
        send({
          jsonrpc: "2.0",
          method: `${sandboxMethodPrefix}resource-ready`,
          params: { html: page.html, permissions: {} },
        });
      }
    };
    window.addEventListener("message", onMessage);
    const unwatch = onThemeChange((theme) => made.changeContext({ theme }));
    return () => {
      window.removeEventListener("message", onMessage);
      unwatch();
      void made.teardown(0);
    };
  }, [view, page, appOrigin, version, ask]);
  // The App may clean up first.
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname !== next.pathname) await session.current?.teardown(teardownMs);
      return false;
    },
    enableBeforeUnload: false,
  });
  if (ended !== undefined) {
    return (
      <p role="status" className="p-3 text-soft">
        {markUnseen(endMessages[ended] ?? endMessages.closed!)}
      </p>
    );
  }
  return (
    <>
      <AppPromptPanel prompts={prompts} server={view.server} />
      <iframe
        ref={frame}
        src={address}
        title={markUnseen(`App of the server ${view.server}`)}
        sandbox="allow-scripts allow-same-origin allow-forms"
        allow=""
        referrerPolicy="no-referrer"
        className="block w-full"
        style={{ height }}
      />
      <footer className="flex items-start gap-2 border-t border-line px-3 py-1.5 text-xs text-soft">
        {lines.length === 0 ? (
          <span>This content comes from the MCP server, not from Haft.</span>
        ) : (
          <details className="min-w-0">
            <summary>Log ({formatNumberOf(lines.length, "line")})</summary>
            <ForeignText text={lines.join("\n")} isCode />
          </details>
        )}
        <button
          type="button"
          className="link ml-auto shrink-0"
          onClick={() => void session.current?.teardown(teardownMs).then(() => setEnded("closed"))}
        >
          Close App
        </button>
      </footer>
    </>
  );
};

/** The API limits an App to its own server. */
const serverRequests = ({ server, uri }: AppView, { hash }: AppPage, ask: AppPrompts["ask"]) => {
  const tools = appPermission("tools", server, uri, hash);
  /** Concurrent calls share one prompt. */
  let pendingPrompt: Promise<boolean> | undefined;
  const checkAllowed = async (prompt: AppPrompt): Promise<void> => {
    if (tools.isGiven()) return;
    pendingPrompt ??= ask(prompt).finally(() => {
      pendingPrompt = undefined;
    });
    if (!(await pendingPrompt)) throw new AppRequestError("The user did not allow it.");
    tools.give();
  };
  return {
    callTool: async (tool: string, input: Readonly<Record<string, unknown>>): Promise<object> => {
      await checkAllowed({ kind: "tools", tool, input });
      return (await api.callFromApp(server, uri, { tool, input })).result;
    },
    readResource: async (wanted: string): Promise<object> => {
      await checkAllowed({ kind: "resource", uri: wanted });
      return api.readFromApp(server, uri, { uri: wanted });
    },
  };
};

type ResolvedTheme = "light" | "dark";

const darkModeQuery = (): MediaQueryList => matchMedia("(prefers-color-scheme: dark)");

const resolveTheme = (): ResolvedTheme => {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : darkModeQuery().matches ? "dark" : "light";
};

const onThemeChange = (changed: (theme: ResolvedTheme) => void): (() => void) => {
  const query = darkModeQuery();
  const notify = (): void => changed(resolveTheme());
  document.addEventListener("haft-theme", notify);
  query.addEventListener("change", notify);
  return () => {
    document.removeEventListener("haft-theme", notify);
    query.removeEventListener("change", notify);
  };
};

const LoadedApp = ({ view, appOrigin, version }: LoadedAppProps) => {
  const { data: page, error, refetch } = useQuery(queries.app(view.server, view.uri));
  const [isAgreed, setAgreed] = useState(false);
  if (error !== null) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (page === undefined) return <LoadingNotice />;
  const permission = appPermission("origins", view.server, view.uri, page.hash);
  const origins = Object.values(page.allowedOrigins).flat();
  if (origins.length === 0 || isAgreed || permission.isGiven()) {
    return (
      <>
        <RefusedOrigins page={page} />
        <AppIframe view={view} page={page} appOrigin={appOrigin} version={version} />
      </>
    );
  }
  return (
    <AppNote>
      <p className="font-medium">
        This App wants to connect to these origins. It can send them everything it is shown:
      </p>
      <ForeignText text={[...new Set(origins)].join("\n")} isCode />
      <RefusedOrigins page={page} />
      <button
        type="button"
        className="button mt-2"
        onClick={() => {
          permission.give();
          setAgreed(true);
        }}
      >
        Show App
      </button>
    </AppNote>
  );
};

const RefusedOrigins = ({ page: { rejectedOrigins } }: { readonly page: AppPage }) =>
  rejectedOrigins.length === 0 ? null : (
    <details className="px-3 py-2 text-xs text-soft">
      <summary>Some requested origins are not allowed</summary>
      <ForeignText text={rejectedOrigins.join("\n")} />
    </details>
  );

const AppNote = ({ children }: { readonly children: ReactNode }) => <div className="p-3">{children}</div>;
