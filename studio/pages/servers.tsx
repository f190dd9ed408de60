import type { Server } from "@api/servers.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { queries } from "../api/queries.ts";
import { StateBadge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { FactList, Page, Section } from "../components/page.tsx";
import { formatClock, Time } from "../components/time.tsx";
import { useToast } from "../shell/toasts.tsx";

const maxToolNames = 50;

export const Servers = () => {
  const { data, error, refetch } = useQuery(queries.servers());
  return (
    <Page
      title="Servers"
      actions={
        data?.lock !== undefined && (
          <span className="min-w-0 text-soft">
            <ForeignText text={`Lock: ${data.lock}`} isLine />
          </span>
        )
      }
    >
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingNotice />}
      {data?.items.length === 0 && (
        <div className="panel">
          <EmptyState title="No MCP servers">
            Add servers to <code className="code">mcp.servers</code> in the configuration, then restart the
            Studio.
          </EmptyState>
        </div>
      )}
      {data?.items.some(({ quarantined }) => quarantined.length > 0) && (
        <p className="text-soft">
          Tools that are new or differ from the lock are quarantined. They cannot be called until a review
          approves them.
        </p>
      )}
      {data?.items.map((server) => (
        <ServerPanel key={server.id} server={server} />
      ))}
    </Page>
  );
};

const ServerPanel = ({ server }: { readonly server: Server }) => {
  const { id, status, transport, protocol, serverInfo, tools, quarantined, losses, log } = server;
  return (
    <Section title={id} actions={<ServerActions server={server} />}>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <FactList
          facts={[
            ["Status", <StateBadge key="state" state={status} />],
            ["Reason", server.reason && <ForeignText key="reason" text={server.reason} />],
            ["Transport", `${transport}${protocol === undefined ? "" : `, protocol ${protocol}`}`],
            [
              "Server name",
              serverInfo && (
                <ForeignText
                  key="name"
                  text={`${serverInfo.title ?? serverInfo.name} ${serverInfo.version}`}
                />
              ),
            ],
            ["Connected", server.connectedAt && <Time key="at" at={server.connectedAt} />],
            ["Reconnects", server.reconnects],
            ["Tools", tools.length === 0 ? "none" : <ToolNames key="tools" keys={tools} />],
            ["Apps", server.apps.length > 0 && <ServerApps key="apps" server={server} />],
            [
              "Quarantined",
              quarantined.length > 0 && (
                <ForeignText
                  key="quarantined"
                  className="text-bad"
                  text={quarantined.map(({ tool, reason }) => `${tool}: ${reason}`).join("\n")}
                />
              ),
            ],
            [
              "Unsupported",
              losses.length > 0 && (
                <ForeignText
                  key="losses"
                  text={losses.map(({ tool, loss }) => `${tool}: ${loss}`).join("\n")}
                />
              ),
            ],
          ]}
        />
        <div className="min-w-0">
          <p className="label mb-1">Log</p>
          {log.length === 0 ? (
            <p className="text-soft">No log entries.</p>
          ) : (
            <ol
              // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the region
              tabIndex={0}
              aria-label={`Log of ${markUnseen(id)}`}
              className="max-h-56 overflow-auto rounded-md bg-sunken p-2"
            >
              {log.map(({ at, kind, text }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same
                <li key={index} className="flex gap-2 code">
                  <span className="shrink-0 text-soft">{formatClock(at)}</span>
                  <ForeignText text={text} className={kind === "error" ? "text-bad" : ""} />
                </li>
              ))}
            </ol>
          )}
        </div>
      </div>
    </Section>
  );
};

const ToolNames = ({ keys }: { readonly keys: readonly string[] }) => (
  <span className="flex flex-wrap gap-x-3">
    {keys.slice(0, maxToolNames).map((key) => (
      <Link key={key} to="/tools/$key" params={{ key }} className="link min-w-0">
        <ForeignText text={key} isInline />
      </Link>
    ))}
    {keys.length > maxToolNames && <span className="text-soft">and {keys.length - maxToolNames} more</span>}
  </span>
);

/** Empty for URLs that a browser must not open. */
const hostOf = (address: string): string =>
  URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) ? new URL(address).host : "";

const ServerApps = ({ server: { apps } }: { readonly server: Server }) => (
  <ul className="flex flex-col gap-1">
    {apps.map(({ uri, tools }) => (
      <li key={uri}>
        <ForeignText text={uri} isCode />
        <span className="flex flex-wrap gap-x-3">
          {tools.map((key) => (
            <Link key={key} to="/tools/$key" params={{ key }} className="link min-w-0">
              <ForeignText text={key} isLine />
            </Link>
          ))}
        </span>
      </li>
    ))}
  </ul>
);

const ServerActions = ({ server: { id, canSignIn } }: { readonly server: Server }) => {
  const client = useQueryClient();
  const say = useToast();
  const [address, setAddress] = useState<string>();
  const settle = (): void => void client.invalidateQueries({ queryKey: ["servers"] });
  const reconnect = useMutation({
    mutationFn: () => api.reconnect(id),
    onSuccess: ({ status }) => say(`${id} is ${status}.`),
    onError: ({ message }) => say(message, "bad"),
    onSettled: settle,
  });
  const signIn = useMutation({
    mutationFn: () => api.signInAtServer(id),
    onSuccess: ({ url }) => setAddress(url),
    onError: ({ message }) => say(message, "bad"),
  });
  const finish = useMutation({
    mutationFn: (redirectUrl: string) => api.finishSignIn(id, redirectUrl),
    onSuccess: () => {
      setAddress(undefined);
      say(`Signed in at ${id}.`);
    },
    onError: ({ message }) => say(message, "bad"),
    onSettled: settle,
  });
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <Link to="/servers/$id/review" params={{ id }} className="button">
        Review
      </Link>
      {canSignIn && (
        <button type="button" className="button" disabled={signIn.isPending} onClick={() => signIn.mutate()}>
          Sign in
        </button>
      )}
      <button
        type="button"
        className="button"
        disabled={reconnect.isPending}
        onClick={() => reconnect.mutate()}
      >
        {reconnect.isPending ? "Connecting…" : "Reconnect"}
      </button>
      {address !== undefined && (
        <form
          className="flex w-full flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            finish.mutate(String(new FormData(event.currentTarget).get("redirectUrl")));
          }}
        >
          <p>Open this URL, sign in, and paste the URL that the browser is redirected to:</p>
          <ForeignText text={address} isCode className="break-all" />
          <span className="flex gap-2">
            {hostOf(address) !== "" && (
              <a className="button" href={address} target="_blank" rel="noopener noreferrer">
                Open {markUnseen(hostOf(address))}
              </a>
            )}
            <input name="redirectUrl" required className="field" aria-label="Redirect URL" />
            <button type="submit" className="button button-primary">
              Done
            </button>
          </span>
        </form>
      )}
    </div>
  );
};
