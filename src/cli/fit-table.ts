import type { Terminal } from "./command.ts";
import { painter, truncateLine, visibleWidth } from "./screen.ts";

export interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => string;
  /** Minimum width, so that rows that are printed later align. */
  readonly floor?: number;
  /** Longer cells are truncated. */
  readonly most?: number;
  /** Marks the elastic column. The layout fits if at least this width remains for it. */
  readonly least?: number;
}

export type TableLayout<Item> = readonly Column<Item>[];

export interface FittedTable<Item> {
  readonly head: string;
  readonly line: (item: Item) => string;
}

const columnGap = 2;

/** Picks the first layout whose elastic column is wide enough, else the last one. */
export const fitTable = <Item>(
  layouts: readonly TableLayout<Item>[],
  items: readonly Item[],
  { width, hasColor }: Pick<Terminal, "width" | "hasColor">,
): FittedTable<Item> => {
  const measured = layouts.map((layout) => measureLayout(layout, items, width));
  const { columns } = measured.find(({ isRoomy }) => isRoomy) ?? measured.at(-1)!;
  const inLine = (cells: readonly string[]): string => {
    const last = cells.length - 1;
    const line = cells
      .map((cell, at) => fitCell(cell, columns[at]!, at === last))
      .join(" ".repeat(columnGap));
    return `${line.trimEnd()}\n`;
  };
  const title = inLine(columns.map(({ column }) => column.title)).trimEnd();
  return {
    head: `${painter({ hasColor }).bold(title)}\n`,
    line: (item) => inLine(columns.map(({ column }) => column.cell(item))),
  };
};

export const renderTable = <Item>(
  layouts: readonly TableLayout<Item>[],
  items: readonly Item[],
  terminal: Pick<Terminal, "width" | "hasColor">,
): string => {
  const { head, line } = fitTable(layouts, items, terminal);
  return head + items.map(line).join("");
};

interface MeasuredColumn<Item> {
  readonly column: Column<Item>;
  readonly width: number;
  readonly most: number;
}

const measureLayout = <Item>(layout: TableLayout<Item>, items: readonly Item[], edge: number) => {
  const hasEdge = Number.isFinite(edge);
  const measured = layout.map((column): MeasuredColumn<Item> => {
    const most = (hasEdge ? column.most : undefined) ?? Number.POSITIVE_INFINITY;
    const longest = items.reduce(
      (width, item) => Math.max(width, visibleWidth(column.cell(item))),
      Math.max(column.floor ?? 0, column.title.length),
    );
    return { column, width: Math.min(most, longest), most };
  });
  const fixed = measured.reduce(
    (sum, { column, width }) => sum + (column.least === undefined ? width : 0),
    0,
  );
  const left = edge - fixed - columnGap * (layout.length - 1);
  const columns = measured.map((each) => {
    const { least } = each.column;
    if (least === undefined) return each;
    const most = Math.max(left, 1);
    return { ...each, width: Math.min(each.width, most), most };
  });
  const hasRoom = layout.every(({ least }) => least === undefined || left >= least);
  return { columns, isRoomy: hasRoom };
};

const fitCell = <Item>(cell: string, { width, most }: MeasuredColumn<Item>, isLast: boolean): string => {
  const shown = visibleWidth(cell) > most ? truncateLine(cell, most) : cell;
  return isLast ? shown : shown + " ".repeat(Math.max(0, width - visibleWidth(shown)));
};
