import { useCallback, useRef, useState } from "react";

/** Something that an App wants and a person must say yes to. */
export type AppPrompt =
  | { readonly kind: "tools"; readonly tool: string; readonly input: object }
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "link"; readonly url: string }
  | { readonly kind: "message"; readonly text: string };

export interface AppPrompts {
  readonly open: AppPrompt | undefined;
  /** Asks, unless something is asked already or the answer to such questions was no too often: then it is no. */
  readonly ask: (question: AppPrompt) => Promise<boolean>;
  readonly answer: (isYes: boolean) => void;
}

/** An App that was told no so often is not asked again: it could keep a person busy for ever. */
const maxRefusals = 3;

/** The questions of one App, beside its frame and never over the page: an App must not be able to stand in the way. */
export const useAppPrompts = (): AppPrompts => {
  const [open, setOpen] = useState<AppPrompt>();
  const waiting = useRef<((isYes: boolean) => void) | undefined>(undefined);
  const refusals = useRef<Record<string, number>>({});
  const ask = useCallback((question: AppPrompt): Promise<boolean> => {
    if (waiting.current !== undefined || (refusals.current[question.kind] ?? 0) >= maxRefusals) {
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      waiting.current = (isYes) => {
        waiting.current = undefined;
        if (!isYes) refusals.current[question.kind] = (refusals.current[question.kind] ?? 0) + 1;
        setOpen(undefined);
        resolve(isYes);
      };
      setOpen(question);
    });
  }, []);
  return { open, ask, answer: (isYes) => waiting.current?.(isYes) };
};

/** What was allowed in this window, by App and by the hash of its page; a changed page is asked about again. */
const allowedApps = new Set<string>();

export const appPermission = (what: "tools" | "reach", server: string, uri: string, hash: string) => {
  const key = JSON.stringify([what, server, uri, hash]);
  return { isGiven: (): boolean => allowedApps.has(key), give: (): void => void allowedApps.add(key) };
};
