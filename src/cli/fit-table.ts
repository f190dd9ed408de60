import type { Terminal } from "./command.ts";
import { painter, truncateLine, visibleWidth } from "./screen.ts";

export interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => string;
  /** At least so wide, so that lines that come later stand below each other. */
  readonly floor?: number;
  /** What is longer is cut, where there is an edge at all. */
  readonly most?: number;
  /** Of a layout's one column that gets whatever the others leave: with less of it, it says nothing. */
  readonly least?: number;
}

/** The columns of a table, in the order in which they stand. */
export type TableLayout<Item> = readonly Column<Item>[];

export interface FittedTable<Item> {
  readonly head: string;
  readonly line: (item: Item) => string;
}

const columnGap = 2;

/** Of several layouts, the widest first, the first that leaves its elastic column room enough; else the last. */
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

/** The whole table at once. */
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
  /** Where its cells are cut. */
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
