import type {
  ChainHead,
  KeyUsage,
  Verification,
  VerificationOptions,
} from "../../../types/durable-ledger.ts";
import { type AnchorCheckResult, type AnchorStart, checkAnchors } from "../anchors/check-anchors.ts";
import { readAnchorState } from "../anchors/write-anchor.ts";
import type { Script } from "../database.ts";
import type { BrokenRow } from "./chain-check.ts";
import {
  type ChainBeginning,
  isTrustedRow,
  readBeginning,
  readLastSeq,
  withPreviousHash,
} from "./chain-keys.ts";
import { chainsWithRows } from "./chains.ts";
import { type FollowChainResult, followChain, type VerifyContext } from "./follow-chain.ts";
import { chainStart, firstChain, parseRowBody, rowName } from "./signed-row.ts";

/** Reads overlap with hashing. */
const maxParallelChains = 3;

export const verifyChains = async (
  store: VerifyContext,
  options: VerificationOptions,
): Promise<Verification> => {
  const { expect, keyedFrom = Number.POSITIVE_INFINITY, onProgress } = options;
  const start = await findVerifiedState(store, options.from);
  if (start === "unknown") return unknownStartResult;
  const chains = await store.database.read(() => readChainSizes(start?.heads));
  const total = chains.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  const onRows = (rows: number): void => {
    done += rows;
    onProgress?.({ done, total: Math.max(total, done) });
  };
  const all = await mapInParallel(chains, async ({ chain }, i) =>
    followChain(store, {
      chain,
      range: [
        i === 0 ? Number.MIN_SAFE_INTEGER : chainStart(chain),
        chains[i + 1] === undefined ? Number.MAX_SAFE_INTEGER : chainStart(chains[i + 1]!.chain),
      ],
      from: start?.heads.get(chain),
      expect,
      keyedFrom,
      onRows,
    }),
  );
  const { hasChains } = store.dialect;
  const anchors = hasChains ? await checkAnchors(store, expect, start?.anchors) : undefined;
  const broken = await firstBroken(store, all, anchors, { expect, keyedFrom });
  return { ...toVerification(all, broken), ...(anchors === undefined ? {} : summarizeAnchors(all, anchors)) };
};

const summarizeAnchors = (all: readonly FollowChainResult[], { last, heads }: AnchorCheckResult) => ({
  ...(last === undefined ? {} : { anchor: last }),
  unanchored: all.reduce((sum, { check }) => {
    const { seq } = heads.get(check.chain) ?? { seq: chainStart(check.chain) };
    return sum + Math.max(0, check.head.seq - Math.max(seq, check.head.seq - check.rows));
  }, 0),
});

interface VerifiedState {
  readonly heads: ReadonlyMap<number, ChainHead>;
  readonly anchors: AnchorStart | undefined;
}

const findVerifiedState = async (
  { database, dialect }: VerifyContext,
  from: string | undefined,
): Promise<VerifiedState | "unknown" | undefined> => {
  if (from === undefined) return undefined;
  return database.read(function* (): Script<VerifiedState | "unknown"> {
    const sql = dialect.hasChains
      ? "SELECT number FROM haft_roots WHERE hash = ?"
      : "SELECT seq, hash FROM haft_records WHERE hash = ?";
    const [row] = yield { sql, values: [from] };
    if (row === undefined) return "unknown";
    if (!dialect.hasChains) {
      return { heads: new Map([[firstChain, { seq: Number(row.seq), hash: from }]]), anchors: undefined };
    }
    const anchors = yield* readAnchorState(Number(row.number));
    return anchors === undefined ? "unknown" : { heads: anchors.heads, anchors };
  });
};

const unknownStartResult: Verification = {
  ok: false,
  rows: 0,
  head: { seq: 0, hash: "" },
  heads: [],
  keys: [],
  broken: {
    seq: 0,
    why: "no row has the hash to start from: it was pruned or removed",
  },
};

interface ChainSize {
  readonly chain: number;
  readonly rows: number;
}

function* readChainSizes(from: VerifiedState["heads"] | undefined): Script<readonly ChainSize[]> {
  const chains = new Set([firstChain, ...(yield* chainsWithRows())]);
  const found: ChainSize[] = [];
  for (const chain of [...chains].sort((one, other) => one - other)) {
    const beginning = yield* readBeginning(chain);
    const start = Math.max(beginning.seq, from?.get(chain)?.seq ?? 0);
    found.push({ chain, rows: (yield* readLastSeq(chain, beginning)) - start });
  }
  return found;
}

const mapInParallel = async <A, B>(
  all: readonly A[],
  work: (each: A, i: number) => Promise<B>,
): Promise<readonly B[]> => {
  const results: B[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < all.length) {
      const i = next;
      next += 1;
      results[i] = await work(all[i]!, i);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxParallelChains, all.length) }, worker));
  return results;
};

interface ExpectedRows {
  readonly expect: string | undefined;
  readonly keyedFrom: number;
}

/** Broken chains and anchors take precedence over table mismatches and unmet expectations. */
const firstBroken = async (
  store: VerifyContext,
  all: readonly FollowChainResult[],
  anchors: AnchorCheckResult | undefined,
  { expect, keyedFrom }: ExpectedRows,
): Promise<BrokenRow | undefined> => {
  const broken =
    all.find((each) => each.broken !== undefined)?.broken ??
    anchors?.broken ??
    (await firstUnexplainedCut(store, all)) ??
    all.find(({ lie }) => lie !== undefined)?.lie;
  if (broken !== undefined) return broken;
  const unkeyed = all.find(({ firstUnkeyed }) => firstUnkeyed !== undefined)?.firstUnkeyed;
  if (unkeyed !== undefined) {
    return { seq: unkeyed, why: `it has no MAC, but every row from ${rowName(keyedFrom)} on must have one` };
  }
  const isSeen = anchors?.isExpectedSeen === true || all.some(({ isExpectedSeen }) => isExpectedSeen);
  if (expect === undefined || isSeen) return undefined;
  return {
    seq: all[0]?.check.head.seq ?? 0,
    why: "no row or anchor has the expected hash: rows were removed from the end, or it was pruned",
  };
};

const firstUnexplainedCut = async (
  store: VerifyContext,
  all: readonly FollowChainResult[],
): Promise<BrokenRow | undefined> => {
  for (const { check } of all) {
    const { cutAt } = check;
    if (cutAt === undefined) continue;
    const isRecorded = all.some((other) => other.check.prunings.get(cutAt.seq) === cutAt.hash);
    if (isRecorded || (await store.database.read(() => isPruningRecorded(store, all, cutAt)))) continue;
    return {
      seq: cutAt.seq + 1,
      why: "the chain starts after removed rows, and no row records that they were pruned",
    };
  }
  return undefined;
};

/** It may have been written during the verification. */
function* isPruningRecorded(
  { chainKeys }: VerifyContext,
  all: readonly FollowChainResult[],
  { seq, hash }: ChainBeginning,
): Script<boolean> {
  for (const { check } of all) {
    const rows = yield {
      sql: withPreviousHash("SELECT * FROM haft_records WHERE seq > ? AND seq < ? AND kind = 'pruned'"),
      values: [check.head.seq, chainStart(check.chain + 1)],
    };
    for (const row of rows) {
      const { upTo, hash: last } = parseRowBody(row.body);
      if (upTo === seq && last === hash && (yield* isTrustedRow(chainKeys, row))) return true;
    }
  }
  return false;
}

const toVerification = (all: readonly FollowChainResult[], broken: BrokenRow | undefined): Verification => {
  const checks = all.map(({ check }) => check);
  const unkeyed = checks.flatMap((check) => check.unkeyed ?? []);
  const unproved = checks.flatMap((check) => check.unproved ?? []);
  const found = {
    rows: checks.reduce((sum, { rows }) => sum + rows, 0),
    head: checks[0]?.head ?? { seq: 0, hash: "" },
    heads: checks.map(({ head }) => head),
    ...(unkeyed.length === 0 ? {} : { unkeyed: mergeRanges(unkeyed) }),
    keys: mergeKeyUses(checks.flatMap(({ uses }) => uses)),
  };
  if (broken !== undefined) return { ok: false, ...found, broken };
  return unproved.length === 0
    ? { ok: true, ...found }
    : { ok: false, ...found, unproved: [...new Set(unproved)].join("; ") };
};

type CountedRange = NonNullable<Verification["unkeyed"]>;

const mergeRanges = (ranges: readonly CountedRange[]): CountedRange => ({
  rows: ranges.reduce((sum, { rows }) => sum + rows, 0),
  from: Math.min(...ranges.map(({ from }) => from)),
  to: Math.max(...ranges.map(({ to }) => to)),
});

const mergeKeyUses = (uses: readonly KeyUsage[]): readonly KeyUsage[] =>
  [...new Set(uses.map(({ keyId }) => keyId))].map((keyId) => {
    const same = uses.filter((use) => use.keyId === keyId);
    return { keyId, isHere: same[0]?.isHere === true, ...mergeRanges(same) };
  });
