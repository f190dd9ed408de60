import type { AppPage, AppView } from "@api/apps.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { queries } from "../api/queries.ts";
import { Badge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { AppIframe } from "./app-iframe.tsx";
import { hasOtherHost } from "./frame-address.ts";
import { appPermission } from "./use-app-prompts.ts";

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
