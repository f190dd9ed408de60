import type { Permissions as Matrix, PermissionEffect } from "@api/permissions.ts";
import { Link } from "@tanstack/react-router";
import { callerText } from "../components/caller-name.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { Check, CircleHelp, type IconComponent, User, X } from "../components/icons.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { EmptyState } from "../components/notices.tsx";
import { effectTexts, permissionFactorsText, permissionText } from "../components/permission-text.ts";

const effectLooks: Readonly<Record<PermissionEffect, readonly [IconComponent, string]>> = {
  allow: [Check, "bg-good-wash text-good"],
  approve: [User, "bg-wait-wash text-wait"],
  deny: [X, "bg-bad-wash text-bad"],
  unknown: [CircleHelp, "bg-sunken text-soft"],
};

const principalSourceTexts: Readonly<Record<Matrix["principals"][number]["source"], string>> = {
  "signed-in": "you",
  runtime: "the runtime's own",
  configuration: "configured",
  ledger: "seen in the ledger",
};

export const PermissionMatrix = ({ matrix }: { readonly matrix: Matrix }) => {
  if (matrix.tools.length === 0) {
    return <EmptyState title="No tool fits">Shorten the filter, or clear it to see all tools.</EmptyState>;
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
              {matrix.principals.map(({ id, caller, source }) => (
                <th key={id} scope="col" className="max-w-44 min-w-28 p-2 align-bottom text-xs font-medium">
                  <ForeignText text={callerText(caller)} isLine />
                  <span className="font-normal text-soft">{markUnseen(principalSourceTexts[source])}</span>
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
                    <Cell right={matrix.cells[column]![row]!} id={id} name={callerText(caller)} tool={tool} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {matrix.hasMore && (
          <p className="p-2 text-xs text-soft">There are more tools or principals than these.</p>
        )}
      </section>
    </>
  );
};

/** Drops the arguments, which belong to another cell. */
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
  const [Icon, look] = effectLooks[right.effect];
  const depends = permissionFactorsText(right);
  return (
    <Link
      to="/permissions"
      search={({ filter }) => ({ ...(filter === undefined ? {} : { filter }), as: id, tool })}
      title={markUnseen(`${permissionText(right)}: ${right.reason}`)}
      aria-label={markUnseen(`${name}: ${permissionText(right)} (${tool})`)}
      className={`inline-flex min-h-7 items-center gap-1.5 rounded px-2 py-1 text-xs ${look}`}
    >
      <Icon size={14} className="shrink-0" />
      <span>
        {markUnseen(effectTexts[right.effect])}
        {depends !== "" && `, ${markUnseen(depends)}`}
      </span>
    </Link>
  );
};
