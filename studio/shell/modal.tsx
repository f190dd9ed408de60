import { type ReactNode, useEffect, useRef } from "react";
import { markUnseen } from "../components/invisible-characters.ts";

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
    // The first focusable element may be a container.
    dialog.current.querySelector("input")?.focus();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes a dialog on Escape
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
