import { hashText } from "../../../base/json/hash.ts";
import type { ChainHead } from "../../../types/durable-ledger.ts";

const leafOf = ({ seq, hash }: ChainHead): string => hashText(`leaf\n${seq}\n${hash}`);

/** The prefixes keep leaves and nodes apart. */
export const merkleRoot = (heads: readonly ChainHead[]): string => {
  let level = heads.toSorted((one, other) => one.seq - other.seq).map(leafOf);
  if (level.length === 0) return hashText("no chains");
  while (level.length > 1) {
    const next: string[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i]!, level[i + 1]];
      next.push(right === undefined ? left : hashText(`node\n${left}\n${right}`));
    }
    level = next;
  }
  return level[0]!;
};
