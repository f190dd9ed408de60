import type { Sealed } from "./payload.ts";
import type { Vault } from "./vault.ts";

/** A text that is sealed when it is needed for the first time, and once: a transaction may be started over. */
export interface SealedOnce {
  readonly get: () => Sealed | undefined;
  /** Nothing if it cannot be kept: for what must be written down in any case. */
  readonly tryGet: () => Sealed | undefined;
  /** It was not written after all. */
  readonly discard: () => void;
}

export const sealOnce = (vault: Vault, text: string | undefined, of: string): SealedOnce => {
  if (text === undefined || vault.isLocked) return nothing;
  let sealed: Sealed | undefined;
  const get = (): Sealed | undefined => {
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

const nothing: SealedOnce = {
  get: () => undefined,
  tryGet: () => undefined,
  discard: () => {},
};
