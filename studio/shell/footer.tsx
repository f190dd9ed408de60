import type { Me } from "@api/shared.ts";
import { Keyboard, LogOut } from "../components/icons.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { ThemeChoice } from "./theme-choice.tsx";

export const Footer = ({
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
