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
  "signed-in": "signed in",
  runtime: "runtime",
  configuration: "configured",
  ledger: "from the ledger",
};

export const PermissionMatrix = ({ matrix }: { readonly matrix: Matrix }) => {
  if (matrix.tools.length === 0) {
    return <EmptyState title="No matching tools">Shorten or clear the filter.</EmptyState>;
  }
  return (
    <>
      <p className="mb-3 text-xs text-soft">
        Each cell shows the most permissive effect of the policy; open it for an explanation. “Depends on
        arguments”: a rule checks them, and denies some calls or requires approval. “Depends on untrusted
        content”: calls may be denied or need approval after the run has read such content. Write calls with
        repaired arguments also need approval, unless a rule waives it. Quarantined tools cannot be called.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the region */}
      <section aria-label="Permissions" tabIndex={0} className="relative -m-2 overflow-x-auto">
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
                    <Cell
                      permission={matrix.cells[column]![row]!}
                      id={id}
                      name={callerText(caller)}
                      tool={tool}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {matrix.hasMore && <p className="p-2 text-xs text-soft">There are more tools or principals.</p>}
      </section>
    </>
  );
};

/** The link keeps only the filter, because arguments belong to another cell. */
const Cell = ({
  permission,
  id,
  name,
  tool,
}: {
  readonly permission: Matrix["cells"][number][number];
  readonly id: string;
  readonly name: string;
  readonly tool: string;
}) => {
  const [Icon, look] = effectLooks[permission.effect];
  const factors = permissionFactorsText(permission);
  return (
    <Link
      to="/permissions"
      search={({ filter }) => ({ ...(filter === undefined ? {} : { filter }), as: id, tool })}
      title={markUnseen(`${permissionText(permission)}: ${permission.reason}`)}
      aria-label={markUnseen(`${name}: ${permissionText(permission)} (${tool})`)}
      className={`inline-flex min-h-7 items-center gap-1.5 rounded px-2 py-1 text-xs ${look}`}
    >
      <Icon size={14} className="shrink-0" />
      <span>
        {markUnseen(effectTexts[permission.effect])}
        {factors !== "" && `, ${markUnseen(factors)}`}
      </span>
    </Link>
  );
};
