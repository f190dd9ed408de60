import { useState } from "react";
import { Check, Copy as CopyIcon } from "./icons.tsx";

export const CopyButton = ({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) => {
  const [isDone, setDone] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        setDone(true);
        setTimeout(() => setDone(false), 1_500);
      },
      () => setDone(false),
    );
  };
  const Icon = isDone ? Check : CopyIcon;
  return (
    <button
      type="button"
      className="button button-quiet h-7 px-1.5 text-xs"
      onClick={copy}
      aria-label={label}
    >
      <Icon size={14} />
      <span aria-live="polite" className={isDone ? "" : "sr-only"}>
        {isDone ? "Copied" : ""}
      </span>
    </button>
  );
};
