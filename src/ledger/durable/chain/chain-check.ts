import type { KeyUsage, RowRange, Verification } from "../../../types/durable-ledger.ts";
import { type ChainBeginning, type ChainKeys, findKeyFault, hasValidMac, keyAfter } from "./chain-keys.ts";
import { chainOf, chainStart, hasValidHash, parseRowBody, rowName, type SignedRow } from "./signed-row.ts";

export type BrokenRow = NonNullable<Verification["broken"]>;

/** Verifies a chain row by row; other tables are not checked. */
export class ChainCheck {
  readonly #keys: ChainKeys;
  #beginning: ChainBeginning;
  #head: ChainBeginning;
  /** The key that the next row must use, if any. */
  #keyId: string | null = null;
  readonly #prunings = new Map<number, unknown>();
  #rows = 0;
  #verifiedUpTo = Number.NEGATIVE_INFINITY;
  readonly #keyUses = new Map<string | null, { rows: number; readonly from: number; to: number }>();

  constructor(keys: ChainKeys, beginning: ChainBeginning) {
    this.#keys = keys;
    this.#beginning = beginning;
    this.#head = beginning;
  }

  get chain(): number {
    return chainOf(this.#head.seq);
  }

  get head(): ChainBeginning {
    return this.#head;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Continues after rows that were pruned during the check. */
  moveTo(beginning: ChainBeginning): void {
    if (beginning.seq === this.#beginning.seq) return;
    this.#beginning = beginning;
    if (beginning.seq <= this.#head.seq) return;
    this.#head = beginning;
    this.#keyId = null;
  }

  goOnBehind(link: Pick<SignedRow, "seq" | "hash" | "kind" | "keyId">): void {
    const { seq, hash } = link;
    this.#head = { seq, hash };
    this.#keyId = keyAfter(link);
    this.#verifiedUpTo = seq;
  }

  next(link: SignedRow): BrokenRow | undefined {
    const why = this.#findFault(link);
    if (why !== undefined) return why;
    const { seq, hash, kind, keyId, body } = link;
    this.#head = { seq, hash };
    this.#keyId = keyAfter(link);
    this.#rows += 1;
    this.#count(keyId, seq);
    if (kind === "pruned") {
      const { upTo, hash: last } = parseRowBody(body);
      this.#prunings.set(Number(upTo), last);
    }
    return undefined;
  }

  #count(keyId: string | null, seq: number): void {
    const use = this.#keyUses.get(keyId);
    if (use === undefined) this.#keyUses.set(keyId, { rows: 1, from: seq, to: seq });
    else {
      use.rows += 1;
      use.to = seq;
    }
  }

  #findFault(link: SignedRow): BrokenRow | undefined {
    const { seq, hash } = this.#head;
    if (link.seq !== seq + 1)
      return { seq: seq + 1, why: `the row is missing; the next one is ${rowName(link.seq)}` };
    const why = findRowFault(link, hash, this.#keyId, this.#keys);
    return why === undefined ? undefined : { seq: link.seq, why };
  }

  get prunings(): ReadonlyMap<number, unknown> {
    return this.#prunings;
  }

  /** Rows before it are missing: a `pruned` row must confirm that. */
  get cutAt(): ChainBeginning | undefined {
    const { seq } = this.#beginning;
    return seq === chainStart(this.chain) || seq < this.#verifiedUpTo ? undefined : this.#beginning;
  }

  get unkeyed(): RowRange | undefined {
    return this.#keyUses.get(null);
  }

  get uses(): readonly KeyUsage[] {
    return [...this.#keyUses].flatMap(([keyId, range]) =>
      keyId === null ? [] : [{ keyId, isHere: this.#keys.find(keyId) !== undefined, ...range }],
    );
  }

  /** Why the MACs prove nothing, although nothing contradicts them. */
  get unproved(): string | undefined {
    const { uses } = this;
    const missing = uses.filter(({ isHere }) => !isHere);
    if (missing.length > 0) {
      return missing
        .map(({ rows, keyId }) => `${rows} rows were sealed with the key ${keyId}, which is not available`)
        .join("; ");
    }
    if (uses.length > 0 || this.#rows === 0 || this.#keys.newest === undefined) return undefined;
    return (
      "no row has a MAC although a key is configured: the MACs were removed, or no process with the key has written " +
      "to this ledger yet"
    );
  }
}

const findRowFault = (
  link: SignedRow,
  prev: string,
  keyId: string | null,
  keys: ChainKeys,
): string | undefined => {
  if (link.chain !== chainOf(link.seq)) return `it claims to belong to the chain ${link.chain}`;
  if (!hasValidHash(prev, link)) return "its hash differs: this row or the previous one was changed";
  const why = findKeyFault(link, keyId, keys);
  if (why !== undefined) return why;
  if (hasValidMac(keys, link) !== false) return undefined;
  return "its MAC does not match its key: it was written without the key";
};
