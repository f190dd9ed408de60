import type { CallRow } from "@api/calls.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { formatClock, formatCount } from "../components/time.tsx";

export const ChainRows = ({ rows }: { readonly rows: readonly CallRow[] }) =>
  rows.length === 0 ? (
    <p className="text-soft">A memory ledger has no hash chain.</p>
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the region
    <section aria-label="Rows of the ledger" tabIndex={0} className="relative overflow-x-auto">
      <table className="w-full text-left">
        <thead>
          <tr className="text-xs text-soft [&>th]:pr-4 [&>th]:pb-1 [&>th]:font-medium">
            <th scope="col">Row</th>
            <th scope="col">Kind</th>
            <th scope="col">Time</th>
            <th scope="col">Hash</th>
            <th scope="col">Key</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ seq, kind, at, hash, prev, mac, keyId }) => (
            <tr key={seq} className="border-t border-line [&>td]:py-0.5 [&>td]:pr-4">
              <td>{formatCount(seq)}</td>
              <td>
                <ForeignText text={kind} isLine />
              </td>
              <td className="whitespace-nowrap text-soft">{formatClock(at)}</td>
              <td className="code whitespace-nowrap" title={markUnseen(hashTitle(hash, prev, mac))}>
                {markUnseen(hash, 16)} <CopyButton text={hash} label={`Copy the hash of row ${seq}`} />
              </td>
              <td className="code">{markUnseen(keyId ?? "–", 16)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );

const hashTitle = (hash: string, prev: string | undefined, mac: string | undefined): string =>
  [hash, prev && `previous ${prev}`, mac && `MAC ${mac}`].filter(Boolean).join(", ");
