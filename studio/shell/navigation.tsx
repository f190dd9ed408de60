import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Me } from "@words/shared.ts";
import { queries } from "../api/queries.ts";
import { places } from "./places.ts";

/** The pages. `onGo` closes the drawer that they stand in on a narrow screen. */
export const Navigation = ({ me, onGo }: { readonly me: Me; readonly onGo?: () => void }) => {
  const { data: waiting } = useQuery({
    ...queries.approvals({ status: "waiting" }),
    enabled: me.has.approvals && me.scopes.includes("studio:read"),
  });
  const count = waiting?.items.length ?? 0;
  return (
    <nav aria-label="Pages">
      <ul className="flex flex-col gap-0.5">
        {places
          .filter(({ isThere }) => isThere(me.has))
          .map(({ to, name, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === "/", includeSearch: false }}
                onClick={onGo}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:text-accent"
              >
                <Icon size={16} aria-hidden />
                {name}
                {to === "/approvals" && count > 0 && (
                  <span className="ml-auto rounded-full bg-wait-wash px-1.5 text-xs text-wait">
                    {count}
                    {waiting?.isCut ? "+" : ""}
                    <span className="sr-only"> waiting</span>
                  </span>
                )}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
};
