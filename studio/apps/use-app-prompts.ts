import { createContext, useCallback, useRef, useState } from "react";

export type AppPrompt =
  | { readonly kind: "tools"; readonly tool: string; readonly input: object }
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "link"; readonly url: string }
  | { readonly kind: "message"; readonly text: string };

export interface AppPrompts {
  readonly open: AppPrompt | undefined;
  /** False if another prompt is open or this kind was refused too often. */
  readonly ask: (prompt: AppPrompt) => Promise<boolean>;
  readonly answer: (isYes: boolean) => void;
}

const maxRefusals = 3;

/** Shown next to the frame, so that prompts cannot block the page. */
export const useAppPrompts = (): AppPrompts => {
  const [open, setOpen] = useState<AppPrompt>();
  const waiting = useRef<((isYes: boolean) => void) | undefined>(undefined);
  const refusals = useRef<Record<string, number>>({});
  const ask = useCallback((prompt: AppPrompt): Promise<boolean> => {
    if (waiting.current !== undefined || (refusals.current[prompt.kind] ?? 0) >= maxRefusals) {
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      waiting.current = (isYes) => {
        waiting.current = undefined;
        if (!isYes) refusals.current[prompt.kind] = (refusals.current[prompt.kind] ?? 0) + 1;
        setOpen(undefined);
        resolve(isYes);
      };
      setOpen(prompt);
    });
  }, []);
  return { open, ask, answer: (isYes) => waiting.current?.(isYes) };
};

/** Keys contain the content hash, so that a changed App needs permission again. */
const allowedApps = new Set<string>();

export const appPermission = (what: "tools" | "origins", server: string, uri: string, hash: string) => {
  const key = JSON.stringify([what, server, uri, hash]);
  return { isGiven: (): boolean => allowedApps.has(key), give: (): void => void allowedApps.add(key) };
};

/** Undefined outside of a chat. */
export const OfferedMessageContext = createContext<((text: string) => void) | undefined>(undefined);
