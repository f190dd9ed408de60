import { useCallback, useRef, useState } from "react";

/** Something that an App wants and a person must say yes to. */
export type Question =
  | { readonly kind: "tools"; readonly tool: string; readonly input: object }
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "link"; readonly url: string }
  | { readonly kind: "message"; readonly text: string };

export interface Asking {
  readonly open: Question | undefined;
  /** Asks, unless something is asked already or the answer to such questions was no too often: then it is no. */
  readonly ask: (question: Question) => Promise<boolean>;
  readonly answer: (isYes: boolean) => void;
}

/** An App that was told no so often is not asked again: it could keep a person busy for ever. */
const mostNo = 3;

/** The questions of one App, beside its frame and never over the page: an App must not be able to stand in the way. */
export const useAsking = (): Asking => {
  const [open, setOpen] = useState<Question>();
  const waiting = useRef<((isYes: boolean) => void) | undefined>(undefined);
  const said = useRef<Record<string, number>>({});
  const ask = useCallback((question: Question): Promise<boolean> => {
    if (waiting.current !== undefined || (said.current[question.kind] ?? 0) >= mostNo) {
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      waiting.current = (isYes) => {
        waiting.current = undefined;
        if (!isYes) said.current[question.kind] = (said.current[question.kind] ?? 0) + 1;
        setOpen(undefined);
        resolve(isYes);
      };
      setOpen(question);
    });
  }, []);
  return { open, ask, answer: (isYes) => waiting.current?.(isYes) };
};

/** What was allowed in this window, by App and by the hash of its page; a changed page is asked about again. */
const allowed = new Set<string>();

export const permit = (what: "tools" | "reach", server: string, uri: string, hash: string) => {
  const key = JSON.stringify([what, server, uri, hash]);
  return { isGiven: (): boolean => allowed.has(key), give: (): void => void allowed.add(key) };
};
