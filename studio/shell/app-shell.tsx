import type { Me } from "@api/shared.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { api } from "../api/api.ts";
import { ApiFailure } from "../api/api-request.ts";
import { applyLiveMessage } from "../api/apply-live-message.ts";
import { onLiveMessage, openLiveConnection, useLiveConnection } from "../api/live-connection.ts";
import { queries } from "../api/queries.ts";
import { signInLinkError } from "../api/sign-in-by-link.ts";
import { ForeignText } from "../components/foreign-text.tsx";
import { Keyboard, LogOut, MenuIcon, Search } from "../components/icons.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { isTyping } from "./is-typing.ts";
import { Modal } from "./modal.tsx";
import { Navigation } from "./navigation.tsx";
import { ThemeChoice } from "./theme-choice.tsx";
import { useTitle } from "./use-title.ts";

const Keys = lazy(async () => ({ default: (await import("../lazy-pages.ts")).Keys }));
const Palette = lazy(async () => ({ default: (await import("../lazy-pages.ts")).Palette }));

export const AppShell = () => {
  const client = useQueryClient();
  const { data: me, error, refetch } = useQuery(queries.me());
  const [open, setOpen] = useState<"palette" | "drawer" | "keys">();
  const isSignedIn = me !== undefined && !isSignedOut(error);
  useEffect(() => {
    if (!isSignedIn) return;
    const leave = onLiveMessage((message) => applyLiveMessage(client, message));
    const close = openLiveConnection({
      onReturn: () => void client.invalidateQueries(),
      onFailure: () => void client.invalidateQueries({ queryKey: ["me"] }),
    });
    return () => {
      leave();
      close();
    };
  }, [client, isSignedIn]);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isPalette = event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey);
      const isKeys = event.key === "?" && !isTyping(event);
      if (!isPalette && !isKeys) return;
      event.preventDefault();
      setOpen(isPalette ? "palette" : "keys");
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  if (isSignedOut(error)) return <SignIn onRetry={() => void refetch()} />;
  if (me === undefined) {
    return (
      <main className="mx-auto max-w-xl p-6">
        <h1 className="sr-only">Haft Studio</h1>
        {error === null ? <LoadingNotice /> : <ErrorBox error={error} onRetry={() => void refetch()} />}
      </main>
    );
  }
  const signOut = (): void => {
    api.signOut().finally(() => {
      client.clear();
      location.reload();
    });
  };
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      {/** biome-ignore lint/a11y/useValidAnchor: the link moves the focus, and the router must ignore it */}
      <a
        href="#main"
        className="button absolute top-2 left-2 z-50 -translate-y-20 focus:translate-y-0"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to content
      </a>
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:hidden">
        <button type="button" className="button button-quiet px-2" onClick={() => setOpen("drawer")}>
          <MenuIcon size={18} />
          <span className="sr-only">Pages</span>
        </button>
        <span className="font-semibold">Haft Studio</span>
        <button type="button" className="button button-quiet ml-auto px-2" onClick={() => setOpen("palette")}>
          <Search size={18} />
          <span className="sr-only">Go to</span>
        </button>
      </header>
      <aside className="hidden w-52 shrink-0 flex-col gap-3 border-r border-line p-3 md:flex">
        <span className="px-2 pt-1 font-semibold tracking-tight">Haft Studio</span>
        <button
          type="button"
          className="button w-full justify-start text-soft"
          onClick={() => setOpen("palette")}
          aria-keyshortcuts="Control+K Meta+K"
        >
          <Search size={14} />
          Go to
          <kbd className="ml-auto font-mono text-2xs">Ctrl K</kbd>
        </button>
        <Navigation me={me} />
        <Footer me={me} onKeys={() => setOpen("keys")} onSignOut={signOut} />
      </aside>
      <div className="flex min-h-0 min-w-0 grow flex-col">
        <ConnectionNotice />
        <main
          id="main"
          tabIndex={-1}
          className="relative flex min-h-0 grow flex-col overflow-auto outline-none"
        >
          <Suspense fallback={<LoadingNotice />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {open === "palette" && (
        <Suspense fallback={null}>
          <Palette me={me} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
      {open === "keys" && (
        <Suspense fallback={null}>
          <Keys onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
      {open === "drawer" && (
        <Modal
          label="Pages"
          onClose={() => setOpen(undefined)}
          className="m-0 h-dvh max-h-none w-64 rounded-none"
        >
          <div className="flex h-full flex-col justify-between p-3">
            <Navigation me={me} onGo={() => setOpen(undefined)} />
            <Footer me={me} onKeys={() => setOpen("keys")} onSignOut={signOut} />
          </div>
        </Modal>
      )}
    </div>
  );
};

const Footer = ({
  me,
  onKeys,
  onSignOut,
}: {
  readonly me: Me;
  readonly onKeys: () => void;
  readonly onSignOut: () => void;
}) => (
  <footer className="mt-auto flex flex-col gap-2 px-2 text-xs text-soft">
    <p className="truncate" title={markUnseen(me.ledger.location ?? me.ledger.kind)}>
      {markUnseen(`${me.name} · ${me.ledger.kind} · ${me.version}`)}
    </p>
    <div className="flex items-center">
      <ThemeChoice />
      <button
        type="button"
        className="button button-quiet ml-auto h-7 px-2"
        onClick={onKeys}
        aria-keyshortcuts="?"
        title="Keyboard shortcuts"
      >
        <Keyboard size={14} />
        <span className="sr-only">Keyboard shortcuts</span>
      </button>
      <button type="button" className="button button-quiet h-7 px-2" onClick={onSignOut} title="Sign out">
        <LogOut size={14} />
        <span className="sr-only">Sign out</span>
      </button>
    </div>
  </footer>
);

const SignIn = ({ onRetry }: { readonly onRetry: () => void }) => {
  useTitle("Sign in");
  const refusal = signInLinkError();
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-3 p-4">
      <h1>Sign in to Haft Studio</h1>
      {refusal !== undefined && (
        <div role="alert" className="panel border-l-4 border-l-bad p-3">
          <ForeignText text={refusal} />
        </div>
      )}
      <p className="text-soft">
        Run <code className="code rounded bg-sunken px-1 text-ink">haft studio</code> in a terminal and open
        the link that it prints in a new tab. Each link works once, within five minutes. If the Studio is part
        of another application, sign in there first.
      </p>
      <div>
        <button type="button" className="button" onClick={onRetry}>
          I have signed in
        </button>
      </div>
    </main>
  );
};

const isSignedOut = (error: Error | null): boolean => error instanceof ApiFailure && error.status === 401;

const ConnectionNotice = () => {
  const connection = useLiveConnection();
  return (
    <div role="status" aria-live="polite">
      {connection === "disconnected" && (
        <p className="border-b border-line bg-wait-wash px-4 py-1.5 text-wait">
          Connection lost. Reconnecting… The page may be outdated.
        </p>
      )}
    </div>
  );
};
