import { useBlocker } from "@tanstack/react-router";
import type { AppPage, AppView } from "@words/apps.ts";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { api } from "../api/api.ts";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/unseen.ts";
import { AppRefusal, type AppSession, appSession } from "./app-session.ts";
import { type Asking, permit, type Question, useAsking } from "./asking.ts";
import { frameAddress } from "./frame-address.ts";
import { QuestionPanel } from "./question-panel.tsx";
import { themeNow, watchTheme } from "./theme-now.ts";

const own = "ui/notifications/sandbox-";
const leastHeight = 80;
const mostHeight = 800;
const firstHeight = 240;
const mostLines = 50;
/** An App that speaks to this window past its frame is not heard; one that does it so often is ended. */
const mostPast = 100;
/** How long an App may take to put its things away. */
const teardownMs = 500;

const endings: Readonly<Record<string, string>> = {
  flood: "The App sent more messages than anybody could read, and was ended.",
  left: "The App left its page, and was ended.",
  past: "The App sent messages past its frame, and was ended.",
  again: "The frame of the App was loaded again, and was ended.",
  closed: "The App is closed.",
};

interface LiveFrameProps {
  readonly view: AppView;
  readonly page: AppPage;
  readonly appOrigin: string;
  readonly version: string;
}

/** The frame itself, and everything that is said through it. */
export const LiveFrame = ({ view, page, appOrigin, version }: LiveFrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const session = useRef<AppSession>(undefined);
  const asking = useAsking();
  const { ask } = asking;
  const [height, setHeight] = useState(firstHeight);
  const [ended, setEnded] = useState<string>();
  const [lines, setLines] = useState<readonly string[]>([]);
  const address = useMemo(
    () => frameAddress(appOrigin, location.origin, page.reach),
    [appOrigin, page.reach],
  );
  // Before the frame can have said anything.
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const send = (message: object): void => element.contentWindow?.postMessage(message, appOrigin);
    const close = (): void =>
      void made.teardown(teardownMs).then(() => {
        setEnded("closed");
      });
    const made = appSession(send, {
      version,
      view,
      reach: page.reach,
      context: () => ({
        theme: themeNow(),
        displayMode: "inline",
        availableDisplayModes: ["inline"],
        containerDimensions: { width: element.clientWidth, maxHeight: mostHeight },
        locale: navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        userAgent: "haft-studio",
        platform: "web",
      }),
      ...serverSide(view, page, ask),
      openLink: (url) => ask({ kind: "link", url: url.href }),
      takeMessage: (text) => ask({ kind: "message", text }),
      resize: (wanted) => setHeight(Math.min(mostHeight, Math.max(leastHeight, Math.ceil(wanted)))),
      log: (text) => setLines((before) => [...before.slice(1 - mostLines), text]),
      close,
    });
    session.current = made;
    let isShown = false;
    let past = 0;
    const hear = ({ source, origin, data }: MessageEvent): void => {
      const window = element.contentWindow;
      if (window === null || source === null) return;
      if (source !== window) {
        // Names of windows in a frame are no secret of its origin.
        if (source === window[0] && ++past > mostPast) setEnded("past");
        return;
      }
      if (origin !== appOrigin) return;
      const { method, params } = (data ?? {}) as {
        readonly method?: unknown;
        readonly params?: { why?: unknown };
      };
      if (typeof method !== "string" || !method.startsWith(own)) made.receive(data);
      else if (method === `${own}ended`) setEnded(String(params?.why));
      else if (method === `${own}proxy-ready` && isShown) setEnded("again");
      else if (method === `${own}proxy-ready`) {
        isShown = true;
        send({
          jsonrpc: "2.0",
          method: `${own}resource-ready`,
          params: { html: page.html, permissions: {} },
        });
      }
    };
    window.addEventListener("message", hear);
    const unwatch = watchTheme((theme) => made.changeContext({ theme }));
    return () => {
      window.removeEventListener("message", hear);
      unwatch();
      void made.teardown(0);
    };
  }, [view, page, appOrigin, version, ask]);
  // An App is told before its page goes; whoever leaves waits for that no longer than it takes to blink.
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
        {markUnseen(endings[ended] ?? endings.closed!)}
      </p>
    );
  }
  return (
    <>
      <QuestionPanel asking={asking} server={view.server} />
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
          <span>What is in this frame is the server's, not Haft's.</span>
        ) : (
          <details className="min-w-0">
            <summary>It logged {lines.length} lines</summary>
            <ForeignText text={lines.join("\n")} isCode />
          </details>
        )}
        <button
          type="button"
          className="link ml-auto shrink-0"
          onClick={() => void session.current?.teardown(teardownMs).then(() => setEnded("closed"))}
        >
          Close the App
        </button>
      </footer>
    </>
  );
};

/** Calls and reads go through the API, which lets an App do nothing but what is its own server's; and a person is asked once. */
const serverSide = ({ server, uri }: AppView, { hash }: AppPage, ask: Asking["ask"]) => {
  const tools = permit("tools", server, uri, hash);
  /** Calls that come while the person thinks get the same answer. */
  let asked: Promise<boolean> | undefined;
  const checkAllowed = async (question: Question): Promise<void> => {
    if (tools.isGiven()) return;
    asked ??= ask(question).finally(() => {
      asked = undefined;
    });
    if (!(await asked)) throw new AppRefusal("The person did not allow it.");
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
