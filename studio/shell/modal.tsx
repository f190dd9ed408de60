import { type ReactNode, useEffect, useRef } from "react";
import { markUnseen } from "../components/invisible-characters.ts";

/** The browser's own dialog: it keeps the focus, and closes with Escape or a click beside it. */
export const Modal = ({
  label,
  onClose,
  className = "",
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current?.open !== false) return;
    dialog.current.showModal();
    // The browser would take whatever can have the focus first, which may be a box around the field.
    dialog.current.querySelector("input")?.focus();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, which the browser sees to
    <dialog
      ref={dialog}
      aria-label={markUnseen(label)}
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
      className={`panel p-0 shadow-xl ${className}`}
    >
      {children}
    </dialog>
  );
};
