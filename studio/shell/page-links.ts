import type { Me } from "@api/shared.ts";
import {
  Bot,
  FlaskConical,
  Gauge,
  type IconComponent,
  Inbox,
  ListTree,
  Network,
  Server,
  ShieldCheck,
  Waypoints,
  Wrench,
} from "../components/icons.tsx";

export interface PageLink {
  readonly to: string;
  readonly name: string;
  readonly icon: IconComponent;
  readonly isThere: (features: Me["features"]) => boolean;
}

const always = (): boolean => true;

/** Unavailable pages are hidden. */
export const pageLinks: readonly PageLink[] = [
  { to: "/", name: "Overview", icon: Gauge, isThere: always },
  { to: "/calls", name: "Calls", icon: ListTree, isThere: always },
  { to: "/runs", name: "Runs", icon: Waypoints, isThere: ({ runs }) => runs },
  { to: "/approvals", name: "Approvals", icon: Inbox, isThere: ({ approvals }) => approvals },
  { to: "/tools", name: "Tools", icon: Wrench, isThere: always },
  { to: "/servers", name: "Servers", icon: Server, isThere: ({ servers }) => servers },
  { to: "/permissions", name: "Who may what", icon: ShieldCheck, isThere: always },
  { to: "/agents", name: "Agents", icon: Bot, isThere: ({ agents }) => agents },
  { to: "/experiments", name: "Experiments", icon: FlaskConical, isThere: ({ experiments }) => experiments },
  { to: "/fleet", name: "Fleet", icon: Network, isThere: ({ fleet }) => fleet },
];
