import type { KeyUse, RowRange, Verification } from "../../../words/durable-ledger.ts";
import type { Anchor } from "./anchor.ts";
import { type ChainKeys, hasRightMac } from "./chain-keys.ts";
import { keyAfter, wrongKeyOf } from "./key-changes.ts";
import { isLinked, onlyChain, readBody, type SignedLink } from "./link.ts";

export type BrokenRow = NonNullable<Verification["broken"]>;

/** Follows a chain row by row: order, hashes, keys and MACs. Says nothing of the other tables. */
export class ChainCheck {
  readonly #keys: ChainKeys;
  #anchor: Anchor;
  #head: Anchor;
  /** The key that the next row must have; null if it needs none. */
  #keyId: string | null = null;
  #isAnchored: boolean;
  #rows = 0;
  readonly #uses = new Map<string | null, { rows: number; readonly from: number; to: number }>();

  constructor(keys: ChainKeys, anchor: Anchor) {
    this.#keys = keys;
    this.#anchor = anchor;
    this.#head = anchor;
    this.#isAnchored = anchor.seq === 0;
  }

  get head(): Anchor {
    return this.#head;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Rows up to here were pruned since this began: the chain is followed from there. */
  moveTo(anchor: Anchor): void {
    if (anchor.seq === this.#anchor.seq) return;
    this.#anchor = anchor;
    this.#isAnchored = false;
    if (anchor.seq <= this.#head.seq) return;
    this.#head = anchor;
    this.#keyId = null;
  }

  next(link: SignedLink): BrokenRow | undefined {
    const why = this.#wrong(link);
    if (why !== undefined) return why;
    const { seq, hash, kind, keyId, body } = link;
    this.#head = { seq, hash };
    this.#keyId = keyAfter(link);
    this.#rows += 1;
    this.#count(keyId, seq);
    if (kind === "pruned") this.#isAnchored ||= isAbout(readBody(body), this.#anchor);
    return undefined;
  }

  #count(keyId: string | null, seq: number): void {
    const use = this.#uses.get(keyId);
    if (use === undefined) this.#uses.set(keyId, { rows: 1, from: seq, to: seq });
    else {
      use.rows += 1;
      use.to = seq;
    }
  }

  #wrong(link: SignedLink): BrokenRow | undefined {
    const { seq, hash } = this.#head;
    if (link.seq !== seq + 1) return { seq: seq + 1, why: `the row is missing; the next one is ${link.seq}` };
    const why = whyWrong(link, hash, this.#keyId, this.#keys);
    return why === undefined ? undefined : { seq: link.seq, why };
  }

  /** What is wrong with the chain as a whole, once its last row was seen. */
  end(): BrokenRow | undefined {
    if (this.#isAnchored) return undefined;
    return {
      seq: this.#anchor.seq + 1,
      why: "the chain begins behind rows that were taken away, and no row of it says that they were pruned",
    };
  }

  get unkeyed(): RowRange | undefined {
    return this.#uses.get(null);
  }

  get uses(): readonly KeyUse[] {
    return [...this.#uses].flatMap(([keyId, range]) =>
      keyId === null ? [] : [{ keyId, isHere: this.#keys.find(keyId) !== undefined, ...range }],
    );
  }

  /** Why the MACs prove nothing here, though nothing contradicts them. */
  get unproved(): string | undefined {
    const { uses } = this;
    const missing = uses.filter(({ isHere }) => !isHere);
    if (missing.length > 0) {
      return missing
        .map(({ rows, keyId }) => `${rows} rows were sealed with the key ${keyId}, which is not here`)
        .join("; ");
    }
    if (uses.length > 0 || this.#rows === 0 || this.#keys.newest === undefined) return undefined;
    return (
      "no row carries a MAC, though a key is here: the MACs were taken off, or nobody who has the key has written " +
      "to this ledger yet"
    );
  }
}

const whyWrong = (
  link: SignedLink,
  prev: string,
  keyId: string | null,
  keys: ChainKeys,
): string | undefined => {
  if (link.chain !== onlyChain) return `it is of the chain ${link.chain}, and the ledger has one`;
  if (!isLinked(prev, link)) return "its hash differs: this row or the one before it was changed";
  const why = wrongKeyOf(link, keyId, keys);
  if (why !== undefined) return why;
  if (hasRightMac(keys, link) !== false) return undefined;
  return "its MAC is not of the key it names: it was written by somebody without the key";
};

const isAbout = (body: Readonly<Record<string, unknown>>, anchor: Anchor): boolean =>
  body.upTo === anchor.seq && body.hash === anchor.hash;
