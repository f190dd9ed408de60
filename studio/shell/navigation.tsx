import type { Me } from "@api/shared.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { pageLinks } from "./page-links.ts";

/** `onGo` closes the drawer on narrow screens. */
export const Navigation = ({ me, onGo }: { readonly me: Me; readonly onGo?: () => void }) => {
  const { data: pending } = useQuery({
    ...queries.approvals({ status: "waiting" }),
    enabled: me.features.approvals && me.scopes.includes("studio:read"),
  });
  const { data: servers } = useQuery({
    ...queries.servers(),
    enabled: me.features.servers && me.scopes.includes("studio:read"),
  });
  const approvalCount = pending?.items.length ?? 0;
  const quarantinedCount = servers?.items.flatMap(({ quarantined }) => quarantined).length ?? 0;
  const counts: Readonly<Record<string, readonly [number, string]>> = {
    "/approvals": [approvalCount, `${pending?.hasMore ? "or more " : ""}need approval`],
    "/servers": [quarantinedCount, "quarantined"],
  };
  return (
    <nav aria-label="Pages">
      <ul className="flex flex-col gap-0.5">
        {pageLinks
          .filter(({ isAvailable }) => isAvailable(me.features))
          .map(({ to, name, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === "/", includeSearch: false }}
                onClick={onGo}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:text-accent"
              >
                <Icon size={16} />
                {name}
                <Count of={counts[to]} />
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
};

const Count = ({ of: [count, what] = [0, ""] }: { readonly of: readonly [number, string] | undefined }) =>
  count === 0 ? null : (
    <span className="ml-auto rounded-full bg-wait-wash px-1.5 text-xs text-wait">
      {count}
      <span className="sr-only"> {what}</span>
    </span>
  );
