import { Link } from "@tanstack/react-router";
import type { Rights as Matrix, RightEffect } from "@words/rights.ts";
import { callerWords } from "../components/caller.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { Check, CircleHelp, type IconComponent, User, X } from "../components/icons.tsx";
import { Empty } from "../components/notices.tsx";
import { dependsWords, effectWords, rightWords } from "../components/right-words.ts";
import { markUnseen } from "../components/unseen.ts";

const looks: Readonly<Record<RightEffect, readonly [IconComponent, string]>> = {
  allow: [Check, "bg-good-wash text-good"],
  approve: [User, "bg-wait-wash text-wait"],
  deny: [X, "bg-bad-wash text-bad"],
  unknown: [CircleHelp, "bg-sunken text-soft"],
};

const fromWords: Readonly<Record<Matrix["principals"][number]["from"], string>> = {
  "signed-in": "you",
  runtime: "the runtime's own",
  configuration: "configured",
  ledger: "seen in the ledger",
};

/** Principals × tools. */
export const RightsMatrix = ({ matrix }: { readonly matrix: Matrix }) => {
  if (matrix.tools.length === 0) {
    return <Empty title="No tool fits">Shorten the filter, or clear it to see all tools.</Empty>;
  }
  return (
    <>
      <p className="mb-3 text-xs text-soft">
        Each cell is the best that a call can get. “Depending on arguments”: a rule looks at them, and some
        are refused or need a person. “Depending on untrusted words”: once the run has read words of somebody
        outside, it may be refused or need a person. Whatever writes needs a person too if its arguments had
        to be repaired, unless a rule waives it. A cell leads to why.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys too */}
      <section aria-label="Matrix" tabIndex={0} className="relative -m-2 overflow-x-auto">
        <table className="w-full text-left">
          <thead>
            <tr>
              <th scope="col" className="sticky left-0 z-10 bg-panel p-2 text-xs font-medium text-soft">
                Tool
              </th>
              {matrix.principals.map(({ id, caller, from }) => (
                <th key={id} scope="col" className="max-w-44 min-w-28 p-2 align-bottom text-xs font-medium">
                  <ForeignText text={callerWords(caller)} isLine />
                  <span className="font-normal text-soft">{markUnseen(fromWords[from])}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.tools.map((tool, row) => (
              <tr key={tool} className="border-t border-line">
                <th
                  scope="row"
                  className="sticky left-0 z-10 max-w-56 bg-panel p-2 max-sm:max-w-36 font-medium"
                >
                  <Link to="/tools/$key" params={{ key: tool }} className="hover:underline">
                    <ForeignText text={tool} isLine />
                  </Link>
                </th>
                {matrix.principals.map(({ id, caller }, column) => (
                  <td key={id} className="p-1.5">
                    <Cell
                      right={matrix.cells[column]![row]!}
                      id={id}
                      name={callerWords(caller)}
                      tool={tool}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {matrix.isCut && (
          <p className="p-2 text-xs text-soft">There are more tools or principals than these.</p>
        )}
      </section>
    </>
  );
};

/** Whoever goes from cell to cell asks about any arguments, not about those of the last one. */
const Cell = ({
  right,
  id,
  name,
  tool,
}: {
  readonly right: Matrix["cells"][number][number];
  readonly id: string;
  readonly name: string;
  readonly tool: string;
}) => {
  const [Icon, look] = looks[right.effect];
  const depends = dependsWords(right);
  return (
    <Link
      to="/rights"
      search={({ filter }) => ({ ...(filter === undefined ? {} : { filter }), as: id, tool })}
      title={markUnseen(`${rightWords(right)}: ${right.reason}`)}
      aria-label={markUnseen(`${name}: ${rightWords(right)} (${tool})`)}
      className={`inline-flex min-h-7 items-center gap-1.5 rounded px-2 py-1 text-xs ${look}`}
    >
      <Icon size={14} className="shrink-0" />
      <span>
        {markUnseen(effectWords[right.effect])}
        {depends !== "" && `, ${markUnseen(depends)}`}
      </span>
    </Link>
  );
};
