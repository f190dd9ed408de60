import { toPointer } from "../../json/to-pointer.ts";

/** Why a value that fits the one schema may not fit the other. */
export interface IncompatibilityReason {
  /** JSON pointer into the value; `*` stands for any item or member that has no place of its own. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
  /** What the narrow schema lets through here, `may be missing`, and what the wide one wants, `must be there`. */
  readonly may: string;
  readonly must: string;
}

/** Where in the value a proof is, how deep, and how many reasons anybody wants to hear. */
export interface ProofPosition {
  readonly pointer: string;
  readonly level: number;
  readonly most: number;
}

export const rootPosition: ProofPosition = Object.freeze({ pointer: "", level: 0, most: 20 });

export const childPosition = (at: ProofPosition, key: string | number): ProofPosition => ({
  pointer: at.pointer + toPointer([key]),
  level: at.level + 1,
  most: at.most,
});

/** Only whether, not why. */
export const withoutExplanation = (at: ProofPosition): ProofPosition =>
  at.most === 1 ? at : { ...at, most: 1 };

export const reasonAt = (
  at: ProofPosition,
  keyword: string,
  may: string,
  must: string,
  verb: "be" | "have" | "fit" = "be",
): IncompatibilityReason => ({
  pointer: at.pointer,
  keyword,
  message: `${at.pointer === "" ? "the value" : at.pointer} may ${verb} ${may}, but must ${verb} ${must}`,
  may: `may ${verb} ${may}`,
  must: `must ${verb} ${must}`,
});

/** One reason for each place and keyword is enough. */
export const distinctReasons = (
  reasons: readonly IncompatibilityReason[],
  max: number,
): readonly IncompatibilityReason[] => {
  const found = new Map<string, IncompatibilityReason>();
  for (const reason of reasons) {
    const key = `${reason.pointer} ${reason.keyword}`;
    if (!found.has(key)) found.set(key, reason);
  }
  return [...found.values()].slice(0, max);
};
