import type { SealedText } from "./payload.ts";
import type { Vault } from "./vault.ts";

/** Sealed once, because a transaction may be restarted. */
export interface LazySealedText {
  readonly get: () => SealedText | undefined;
  /** Undefined if sealing fails, for rows that must be written in any case. */
  readonly tryGet: () => SealedText | undefined;
  readonly discard: () => void;
}

export const sealLazily = (vault: Vault, text: string | undefined, of: string): LazySealedText => {
  if (text === undefined || vault.isLocked) return noSealedText;
  let sealed: SealedText | undefined;
  const get = (): SealedText | undefined => {
    sealed ??= vault.seal(text, of);
    return sealed;
  };
  return {
    get,
    tryGet: () => {
      try {
        return get();
      } catch {
        return undefined;
      }
    },
    discard: () => {
      const file = sealed?.[1];
      if (typeof file === "string") vault.drop([file]);
      sealed = undefined;
    },
  };
};

const noSealedText: LazySealedText = {
  get: () => undefined,
  tryGet: () => undefined,
  discard: () => {},
};
